use super::{
    CannibalizationInput, CannibalizationRecord, MAX_POSITION, METHOD_VERSION, MIN_SNAPSHOTS,
    Severity, Window,
    advise::{self, Pair},
    cost::{self, Cost},
    flips::flips,
    groups::{self, SnapshotWindow},
    overlap::overlap,
    split::{self, Split},
};
use crate::findings::envelope::Envelope;
use crate::findings::rankings;
use crate::provenance::{Provenance, RecordStatus};
use crate::result_type::ResultType;
use crate::search_intent;
use crate::url_rules::page_key;

const FLIP_WEIGHT: f64 = 0.35;
const SPLIT_WEIGHT: f64 = 0.30;
const OVERLAP_WEIGHT: f64 = 0.15;
const COST_WEIGHT: f64 = 0.20;
/// Factor if the two pages serve different intents.
const DIFFERENT_INTENT_FACTOR: f64 = 0.5;

/// `None` unless two own pages reached the top 50 within the window.
pub fn evaluate(input: &CannibalizationInput<'_>) -> Option<CannibalizationRecord> {
    let keyword = input.keyword;
    let holds_name = rankings::is_branded(&keyword.keyword, input.site);
    let intent = search_intent::classify(&keyword.keyword, &keyword.language, None);
    let sights = groups::snapshot_window(input, groups::is_branded(holds_name, intent))?;
    let mut split = split::split(input, &sights);
    let reached = |url: &super::CompetingUrl| url.best_position <= MAX_POSITION;
    if split.urls.iter().filter(|(_, url)| reached(url)).count() < 2 {
        return None;
    }
    let seen = sights.snapshots.len();
    let is_enough = seen >= MIN_SNAPSHOTS;
    let flips = is_enough.then(|| flips(&sights.snapshots));
    let cost = cost::cost(&sights.snapshots).filter(|_| is_enough);
    let overlap = overlap(&sights.snapshots);
    let pair = pair(input, &split);
    let tied = tie(input, &split);
    let factor = match (tied, pair.same_intent) {
        (Some(_), _) => 0.0,
        (None, Some(false)) => DIFFERENT_INTENT_FACTOR,
        (None, _) => 1.0,
    };
    let score = flips.zip(cost).map(|(flips, cost)| {
        let sum = FLIP_WEIGHT * flips.rate
            + SPLIT_WEIGHT * split.evenness
            + OVERLAP_WEIGHT * overlap.apart
            + COST_WEIGHT * cost.cost;
        100.0 * factor * sum
    });
    let severity = score.map(Severity::of);
    let primary = split.urls.first()?.1.url.clone();
    let action = severity.and_then(|severity| advise::action(severity, &pair));
    let urls = std::mem::take(&mut split.urls);
    Some(CannibalizationRecord {
        envelope: envelope(input, &sights, &primary, is_enough, action.is_none()),
        market: keyword.market_on(input.engine),
        window: window(&sights)?,
        urls: urls.into_iter().map(|(_, url)| url).collect(),
        primary_url: primary,
        score,
        severity,
        split: split.evenness,
        effective_urls: split.concentration.map(|it| it.effective),
        entropy: split.concentration.map(|it| it.entropy),
        flip_rate: flips.map(|it| it.rate),
        flip_returns: flips.map(|it| it.returns),
        overlap_rate: overlap.apart,
        host_cluster_rate: overlap.clustered,
        cost: cost.map(|it| it.cost),
        lost_clicks: cost.and_then(|cost| lost_clicks(cost, keyword.search_volume)),
        text_similarity: pair.similarity,
        same_intent: pair.same_intent,
        action,
        share_basis: split.basis,
        migrations: sights.migrations,
        tied,
    })
}

#[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
fn lost_clicks(cost: Cost, volume: Option<u64>) -> Option<f64> {
    volume.map(|volume| volume as f64 * cost.lost)
}

fn tie(input: &CannibalizationInput<'_>, split: &Split) -> Option<super::Tie> {
    let mut urls = split.competing().map(|it| it.url.as_str());
    let primary = urls.next()?;
    advise::tie(input, primary, &urls.collect::<Vec<_>>())
}

fn pair(input: &CannibalizationInput<'_>, split: &Split) -> Pair {
    let mut urls = split.urls.iter().map(|(_, url)| url);
    let (Some(primary), Some(second)) = (urls.next(), urls.next()) else {
        return Pair {
            similarity: None,
            same_intent: None,
            must_stay: false,
            primary_share: 0.0,
        };
    };
    let (one, other) = (page_key(&primary.url), page_key(&second.url));
    let must_live = |key: &String| input.pages.get(key).is_some_and(|it| it.must_stay);
    let both_live = must_live(&one) && must_live(&other);
    let keys = if one <= other {
        (one, other)
    } else {
        (other, one)
    };
    Pair {
        similarity: input.similarities.get(&keys).copied(),
        same_intent: primary
            .intent
            .zip(second.intent)
            .map(|(one, other)| one == other),
        must_stay: both_live,
        primary_share: primary.share,
    }
}

fn window(sights: &SnapshotWindow) -> Option<Window> {
    Some(Window {
        from: sights.snapshots.first()?.at,
        to: sights.snapshots.last()?.at,
        snapshots: u32::try_from(sights.snapshots.len()).unwrap_or(u32::MAX),
    })
}

fn envelope(
    input: &CannibalizationInput<'_>,
    sights: &SnapshotWindow,
    primary: &str,
    is_enough: bool,
    no_action: bool,
) -> Envelope {
    let mut warnings = Vec::new();
    if !is_enough {
        warnings.push("fewSnapshots".to_owned());
    } else if no_action {
        warnings.push("actionUndecided".to_owned());
    }
    Envelope {
        result_type: ResultType::Cannibalization,
        project_id: input.keyword.project_id,
        keyword_id: Some(input.keyword.keyword_id),
        url: Some(primary.to_owned()),
        measured_at: sights
            .snapshots
            .last()
            .map_or_else(Default::default, |it| it.at),
        status: if is_enough {
            RecordStatus::Ok
        } else {
            RecordStatus::Partial
        },
        error: None,
        // Costs are estimated, whatever the shares are based on.
        provenance: match input.provenance {
            Provenance::Simulated => Provenance::Simulated,
            _ => Provenance::Estimated,
        },
        provider: input.provider.map(str::to_owned),
        method_version: METHOD_VERSION.to_owned(),
        sample_size: u32::try_from(sights.snapshots.len()).unwrap_or(u32::MAX),
        warnings,
    }
}
