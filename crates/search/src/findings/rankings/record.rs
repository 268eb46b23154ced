use super::{
    BestPosition, Bucket, METHOD_VERSION, OwnUrl, PastRanks, RankInput, RankPoint, RankingRecord,
    change::{self, Change},
    clicks::{self, Clicks},
    history::{change_over, trend},
    owned, published_curve,
};
use crate::ctr::{ClickCurve, PageClicks, Placement, SerpLayout};
use crate::findings::keyword_market::Measurement;
use crate::keyword_metrics::{in_striking_distance, opportunity};
use crate::observation::search_page::{Block, DEPTH_CUT_SHORT, OrganicResult, SearchPage};
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::url_rules::SiteScope;
use crate::{search_intent, url_rules};

/// Snapshots with fewer organic results are `partial`.
const FEW_RESULTS: u32 = 5;

pub fn rank(input: &RankInput<'_>) -> RankingRecord {
    let envelope = input
        .measurement
        .envelope(ResultType::Rankings, METHOD_VERSION, input.keyword);
    let mut record = match input.measurement {
        Measurement::Seen(page) if envelope.error.is_none() => {
            with_page(input, page, blank(input, envelope))
        }
        _ => blank(input, envelope),
    };
    set_history(&mut record, &input.past);
    record
}

/// A record with earlier values only.
fn blank(input: &RankInput<'_>, envelope: super::Envelope) -> RankingRecord {
    RankingRecord {
        envelope,
        market: input.keyword.market_on(input.measurement.engine()),
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
        change1: None,
        change7: None,
        change30: None,
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
        features_present: None,
        features_owned: None,
        ai_overview: None,
        ctr_model: published_curve(),
        gsc_position: input.own_data.and_then(|own| own.position),
        gsc_clicks: input.own_data.and_then(|own| own.clicks),
        gsc_impressions: input.own_data.and_then(|own| own.impressions),
        gsc_period: input.own_data.and_then(|own| own.period),
        is_branded: owned::is_branded(&input.keyword.keyword, input.site),
        striking_distance: None,
        difficulty: None,
        target_position: None,
        target_ctr_gain: None,
        opportunity: None,
        priority_score: None,
    }
}

fn with_page(input: &RankInput<'_>, page: &SearchPage, mut record: RankingRecord) -> RankingRecord {
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
    record.bucket = Some(Bucket::of(record.position));
    record.intent =
        search_intent::classify(&input.keyword.keyword, &input.keyword.language, Some(page));
    add_warnings(&mut record, page);

    let now = RankPoint::of(&record);
    let change = change::between(input.past.last(), &now);
    compare(&mut record, change, input.past.last());
    let layout = SerpLayout::of(page, record.intent);
    let curve = input
        .own_data
        .and_then(|own| own.curve.as_ref())
        .unwrap_or_else(|| ClickCurve::published());
    let clicks = PageClicks::new(curve, &layout);
    curve.name().clone_into(&mut record.ctr_model);
    record.own_urls = own
        .iter()
        .map(|(block, result)| own_url(block, result, &clicks))
        .collect();
    let worth = expected_clicks(&own, &clicks, &record, change);
    set_clicks(&mut record, worth);
    set_features(&mut record, page, input.site);
    set_opportunity(&mut record, &clicks, input.difficulty);
    record
}

fn set_features(record: &mut RankingRecord, page: &SearchPage, site: &SiteScope) {
    let (present, owned) = owned::features(page, site).unzip();
    record.features_present = present;
    record.features_owned = owned;
    record.ai_overview = owned::overview(page, site);
}

fn set_opportunity(record: &mut RankingRecord, clicks: &PageClicks<'_>, difficulty: Option<f64>) {
    let current = record.expected_ctr.unwrap_or(0.0);
    let found = opportunity(record.position, current, clicks, record.is_branded);
    record.striking_distance = Some(in_striking_distance(record.position));
    record.target_position = Some(found.target);
    record.target_ctr_gain = Some(found.ctr_gain);
    record.set_difficulty(difficulty);
}

/// The own results, best first, with unique URLs.
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

fn own_url(block: &Block, result: &OrganicResult, clicks: &PageClicks<'_>) -> OwnUrl {
    OwnUrl {
        url: result.url.clone(),
        position: result.position,
        absolute_position: block.absolute_position,
        expected_ctr: clicks.at(placement(result)),
    }
}

fn placement(result: &OrganicResult) -> Placement {
    Placement {
        position: result.position,
        has_sitelinks: !result.sitelinks.is_empty(),
    }
}

fn add_warnings(record: &mut RankingRecord, page: &SearchPage) {
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

fn expected_clicks(
    own: &[(&Block, &OrganicResult)],
    clicks: &PageClicks<'_>,
    record: &RankingRecord,
    change: Change,
) -> Clicks {
    let places: Vec<Placement> = own.iter().map(|(_, result)| placement(result)).collect();
    clicks::expected(
        &places,
        clicks,
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

fn set_history(record: &mut RankingRecord, past: &PastRanks<'_>) {
    let now = RankPoint::of(record);
    let reached = record.position.map(|position| BestPosition {
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
    record.change1 = change_over(&now, past.points, 1, 0);
    record.change7 = change_over(&now, past.points, 7, 2);
    record.change30 = change_over(&now, past.points, 30, 7);
}
