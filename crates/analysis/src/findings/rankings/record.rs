//! From a measurement to a ranking record.

use super::{
    Bucket, METHOD_VERSION, Mark, OwnUrl, PastRanks, RankInput, RankPoint, RankingRecord,
    change::{self, Change},
    clicks::{self, Clicks},
    history::trend,
};
use crate::{
    ctr::{Placement, SerpLayout},
    findings::keyword_market::Measurement,
    observation::search_page::{Block, DEPTH_CUT_SHORT, OrganicResult, SearchPage},
    provenance::RecordStatus,
    result_type::ResultType,
    search_intent,
    url_rules::{self, SiteScope},
};

/// Fewer organic results than this make a snapshot `partial`.
const FEW_RESULTS: u32 = 5;

/// Computes the rank of a project for one keyword.
#[must_use]
pub fn rank(input: &RankInput<'_>) -> RankingRecord {
    let envelope = input
        .measurement
        .envelope(ResultType::Rankings, METHOD_VERSION, input.keyword);
    let mut record = match input.measurement {
        Measurement::Seen(page) if envelope.error.is_none() => {
            seen(input, page, blank(input, envelope))
        }
        _ => blank(input, envelope),
    };
    place_in_history(&mut record, &input.past);
    record
}

/// A record that claims nothing beyond what was known before.
fn blank(input: &RankInput<'_>, envelope: super::Envelope) -> RankingRecord {
    RankingRecord {
        envelope,
        market: input.keyword.on(input.measurement.engine()),
        position: None,
        absolute_position: None,
        page: None,
        depth_checked: 0,
        title: None,
        snippet: None,
        in_featured_snippet: false,
        own_urls: Vec::new(),
        previous_position: input.past.last().and_then(|point| point.position),
        best_position: None,
        best_position_at: None,
        worst_position: None,
        change: None,
        change_kind: super::ChangeKind::Unknown,
        entered_from: None,
        url_changed: None,
        moving_average7: None,
        median_position28: None,
        volatility28: None,
        search_volume: input.keyword.search_volume,
        intent: None,
        expected_ctr: None,
        estimated_clicks: None,
        potential_clicks: None,
        clicks_change: None,
        ctr_change: None,
        bucket: None,
    }
}

fn seen(input: &RankInput<'_>, page: &SearchPage, mut record: RankingRecord) -> RankingRecord {
    let own = own_results(page, input.site);
    record.depth_checked = page.depth_checked();
    if let Some((block, best)) = own.first() {
        record.envelope.url = Some(best.url.clone());
        record.position = Some(best.position);
        record.absolute_position = block.absolute_position;
        record.page = Some(block.page);
        record.title = Some(best.title.clone());
        record.snippet.clone_from(&best.snippet);
        record.in_featured_snippet = best.in_featured_snippet;
    }
    record.own_urls = own
        .iter()
        .map(|(block, result)| own_url(block, result))
        .collect();
    record.bucket = Some(Bucket::of(record.position));
    record.intent = search_intent::of(&input.keyword.keyword, &input.keyword.language, Some(page));
    note_weaknesses(&mut record, page);

    let now = RankPoint::of(&record);
    let change = change::between(input.past.last(), &now);
    compare(&mut record, change, input.past.last());
    let worth = worth(&own, page, &record, change);
    set_clicks(&mut record, worth);
    record
}

/// The own results, best first; one URL counts once.
fn own_results<'p>(page: &'p SearchPage, site: &SiteScope) -> Vec<(&'p Block, &'p OrganicResult)> {
    let mut seen = Vec::new();
    let mut own: Vec<_> = page
        .organic()
        .filter(|(_, result)| site.owns(&result.url))
        .collect();
    own.sort_by_key(|(_, result)| result.position);
    own.retain(|(_, result)| {
        let key = url_rules::page_key(&result.url);
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new
    });
    own
}

fn own_url(block: &Block, result: &OrganicResult) -> OwnUrl {
    OwnUrl {
        url: result.url.clone(),
        position: result.position,
        absolute_position: block.absolute_position,
    }
}

fn note_weaknesses(record: &mut RankingRecord, page: &SearchPage) {
    let few = record.depth_checked < FEW_RESULTS;
    if few {
        record.envelope.warnings.push("fewResults".to_owned());
    }
    if few || page.warnings.iter().any(|it| it == DEPTH_CUT_SHORT) {
        record.envelope.status = RecordStatus::Partial;
    }
    if SerpLayout::of(page, record.intent).has_unknown_effects() {
        record
            .envelope
            .warnings
            .push("featureCtrUnknown".to_owned());
    }
}

fn compare(record: &mut RankingRecord, change: Change, before: Option<&RankPoint>) {
    record.change = change.places;
    record.change_kind = change.kind;
    record.entered_from = change.entered_from;
    record.url_changed = before
        .and_then(|point| point.url.as_deref())
        .zip(record.envelope.url.as_deref())
        .map(|(was, is)| url_rules::page_key(was) != url_rules::page_key(is));
}

fn worth(
    own: &[(&Block, &OrganicResult)],
    page: &SearchPage,
    record: &RankingRecord,
    change: Change,
) -> Clicks {
    let places: Vec<Placement> = own
        .iter()
        .map(|(_, result)| Placement {
            position: result.position,
            has_sitelinks: !result.sitelinks.is_empty(),
        })
        .collect();
    let layout = SerpLayout::of(page, record.intent);
    clicks::expected(
        &places,
        &layout,
        record.search_volume,
        record.previous_position,
        change,
    )
}

fn set_clicks(record: &mut RankingRecord, clicks: Clicks) {
    record.expected_ctr = clicks.expected_ctr;
    record.estimated_clicks = clicks.estimated;
    record.potential_clicks = clicks.potential;
    record.clicks_change = clicks.change;
    record.ctr_change = clicks.ctr_change;
}

fn place_in_history(record: &mut RankingRecord, past: &PastRanks<'_>) {
    let now = RankPoint::of(record);
    let reached = record.position.map(|position| Mark {
        position,
        at: record.envelope.measured_at,
    });
    let best = match (past.best, reached) {
        (Some(best), Some(now)) if now.position < best.position => Some(now),
        (best, now) => best.or(now),
    };
    record.best_position = best.map(|mark| mark.position);
    record.best_position_at = best.map(|mark| mark.at);
    record.worst_position = past.worst.max(record.position);
    let trend = trend(&now, past.points);
    record.moving_average7 = trend.moving_average7;
    record.median_position28 = trend.median_position28;
    record.volatility28 = trend.volatility28;
}
