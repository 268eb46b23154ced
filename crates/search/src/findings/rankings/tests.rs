//! Rank records and summaries.

use super::*;
use crate::findings::keyword_market::FailedMeasurement;
use crate::observation::search_page::{
    AiOverview, Block, BlockContent, Device, Feature, FeatureBlock, FeatureCoverage, OrganicResult,
    PageLink, SearchPage,
};
use crate::provenance::{Provenance, RecordStatus};
use chrono::TimeDelta;
use proptest::prelude::*;

const OWN: &str = "https://www.acme.com/shoes";

fn day(number: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap() + TimeDelta::days(number)
}

fn keyword(volume: Option<u64>) -> TrackedKeyword {
    TrackedKeyword {
        project_id: 1,
        keyword_id: 7,
        keyword: "laufschuhe".into(),
        country: "de".into(),
        location: None,
        language: "de".into(),
        device: Device::Desktop,
        search_volume: volume,
    }
}

fn organic(position: u32, url: &str) -> Block {
    Block {
        absolute_position: Some(position + 1),
        page: position.div_ceil(10),
        content: BlockContent::Organic(OrganicResult {
            position,
            url: url.into(),
            title: format!("result {position}"),
            ..Default::default()
        }),
    }
}

/// A page of this depth with the own URL at these positions.
fn page(depth: u32, own: &[u32]) -> SearchPage {
    let url = |position| match own.iter().position(|it| *it == position) {
        Some(0) => OWN.to_owned(),
        Some(other) => format!("https://blog.acme.com/{other}"),
        None => format!("https://site{position}.net/"),
    };
    SearchPage {
        engine: "google".into(),
        provider: "web search".into(),
        provenance: Provenance::Measured,
        fetched_at: day(0),
        calls: 1,
        total_results_estimate: None,
        feature_coverage: FeatureCoverage::Partial,
        blocks: (1..=depth)
            .map(|position| organic(position, &url(position)))
            .collect(),
        ai_overview: None,
        related: Vec::new(),
        warnings: Vec::new(),
    }
}

fn point(days_ago: i64, position: Option<u32>, depth: u32) -> RankPoint {
    RankPoint {
        measured_at: day(-days_ago),
        state: if position.is_some() {
            RankState::Ranked
        } else {
            RankState::NotRanked
        },
        position,
        absolute_position: position,
        depth_checked: depth,
        url: position.map(|_| OWN.to_owned()),
    }
}

fn failure(days_ago: i64) -> RankPoint {
    RankPoint {
        state: RankState::Error,
        depth_checked: 0,
        ..point(days_ago, None, 0)
    }
}

fn ranked(page: &SearchPage, points: &[RankPoint]) -> RankingRecord {
    ranked_with(page, points, Some(1000))
}

fn ranked_with(page: &SearchPage, points: &[RankPoint], volume: Option<u64>) -> RankingRecord {
    rank(&RankInput {
        keyword: &keyword(volume),
        site: &SiteScope::of("acme.com"),
        measurement: Measurement::Seen(page),
        past: PastRanks {
            points,
            best: None,
            worst: None,
        },
        own_data: None,
        difficulty: None,
    })
}

fn failed(past: PastRanks<'_>) -> RankingRecord {
    let failure = FailedMeasurement {
        code: "supplierTimedOut".into(),
        at: day(0),
        engine: "google".into(),
        provider: "web search".into(),
        provenance: Provenance::Measured,
    };
    rank(&RankInput {
        keyword: &keyword(Some(1000)),
        site: &SiteScope::of("acme.com"),
        measurement: Measurement::Failed(&failure),
        past,
        own_data: None,
        difficulty: None,
    })
}

#[test]
fn the_first_measurement_has_nothing_to_compare() {
    let record = ranked(&page(100, &[4]), &[]);
    assert_eq!(
        (record.position, record.change_kind),
        (Some(4), ChangeKind::FirstSeen)
    );
    assert_eq!(
        (record.change, record.previous_position, record.url_changed),
        (None, None, None)
    );
    assert_eq!(
        (record.best_position, record.worst_position),
        (Some(4), Some(4))
    );
    assert_eq!(
        (record.absolute_position, record.page, record.depth_checked),
        (Some(5), Some(1), 100)
    );
    assert_eq!(record.envelope.url.as_deref(), Some(OWN));
    assert_eq!(record.bucket, Some(Bucket::Top10));
}

#[test]
fn a_move_up_is_positive() {
    let record = ranked(&page(100, &[4]), &[point(1, Some(9), 100)]);
    assert_eq!(
        (record.change, record.change_kind),
        (Some(5), ChangeKind::Up)
    );
    let record = ranked(&page(100, &[9]), &[point(1, Some(4), 100)]);
    assert_eq!(
        (record.change, record.change_kind),
        (Some(-5), ChangeKind::Down)
    );
    let record = ranked(&page(100, &[9]), &[point(1, Some(9), 100)]);
    assert_eq!(
        (record.change, record.change_kind, record.clicks_change),
        (Some(0), ChangeKind::Same, Some(0.0))
    );
}

#[test]
fn a_failed_measurement_is_never_a_lost_rank() {
    let history = [point(1, Some(3), 100)];
    let best = Some(BestPosition {
        position: 2,
        at: day(-9),
    });
    let record = failed(PastRanks {
        points: &history,
        best,
        worst: Some(40),
    });
    assert_eq!(
        (record.envelope.status, record.position),
        (RecordStatus::Error, None)
    );
    assert_eq!(record.envelope.error.as_deref(), Some("supplierTimedOut"));
    assert_eq!(
        (record.change, record.change_kind),
        (None, ChangeKind::Unknown)
    );
    assert_eq!(
        (record.previous_position, record.best_position),
        (Some(3), Some(2))
    );
    assert_eq!(
        (record.best_position_at, record.worst_position),
        (Some(day(-9)), Some(40))
    );
    assert_eq!(
        (record.bucket, record.expected_ctr, record.estimated_clicks),
        (None, None, None)
    );
    assert_eq!(RankPoint::of(&record).state, RankState::Error);
}

#[test]
fn failures_are_skipped_when_comparing_ranks() {
    let record = ranked(&page(100, &[5]), &[failure(1), point(2, Some(8), 100)]);
    assert_eq!(
        (record.change, record.previous_position),
        (Some(3), Some(8))
    );
}

#[test]
fn a_captcha_is_a_failed_measurement() {
    let record = ranked(&page(0, &[]), &[point(1, Some(3), 100)]);
    assert_eq!(record.envelope.status, RecordStatus::Error);
    assert_eq!(record.envelope.error.as_deref(), Some("blocked"));
    assert_eq!(record.change_kind, ChangeKind::Unknown);
}

#[test]
fn a_rank_is_lost_only_within_the_checked_depth() {
    let lost = ranked(&page(100, &[]), &[point(1, Some(30), 100)]);
    assert_eq!(
        (lost.change_kind, lost.bucket),
        (ChangeKind::Lost, Some(Bucket::NotRanked))
    );
    let shallow = ranked(&page(10, &[]), &[point(1, Some(30), 100)]);
    assert_eq!(shallow.change_kind, ChangeKind::Unknown);
    assert_eq!(shallow.clicks_change, None);
    let just_deep_enough = ranked(&page(10, &[]), &[point(1, Some(10), 100)]);
    assert_eq!(just_deep_enough.change_kind, ChangeKind::Lost);
}

#[test]
fn an_entry_is_new_only_within_the_earlier_depth() {
    let new = ranked(&page(100, &[8]), &[point(1, None, 10)]);
    assert_eq!(
        (new.change_kind, new.entered_from),
        (ChangeKind::New, Some(EnteredFrom::NotRanked))
    );
    assert_eq!(new.change, None);
    let deeper = ranked(&page(100, &[50]), &[point(1, None, 10)]);
    assert_eq!(
        (deeper.change_kind, deeper.entered_from),
        (ChangeKind::Unknown, None)
    );
    let still_absent = ranked(&page(100, &[]), &[point(1, None, 100)]);
    assert_eq!(still_absent.change_kind, ChangeKind::Same);
}

#[test]
fn the_best_url_ranks_and_all_urls_add_clicks() {
    let record = ranked(&page(100, &[3, 12]), &[]);
    assert_eq!(record.position, Some(3));
    assert_eq!(
        record
            .own_urls
            .iter()
            .map(|it| it.position)
            .collect::<Vec<_>>(),
        [3, 12]
    );
    let both = crate::ctr::ctr(3) + crate::ctr::ctr(12);
    assert!((record.estimated_clicks.unwrap() - 1000.0 * both).abs() < 1e-9);
    assert!((record.expected_ctr.unwrap() - crate::ctr::ctr(3)).abs() < 1e-12);
}

#[test]
fn a_repeated_url_counts_once() {
    let mut page = page(20, &[3]);
    page.blocks[9] = organic(10, "http://acme.com/shoes#reviews");
    assert_eq!(ranked(&page, &[]).own_urls.len(), 1);
}

#[test]
fn a_change_of_the_best_url_is_reported() {
    let mut before = point(1, Some(3), 100);
    assert_eq!(
        ranked(&page(20, &[3]), std::slice::from_ref(&before)).url_changed,
        Some(false)
    );
    before.url = Some("https://acme.com/boots".into());
    assert_eq!(ranked(&page(20, &[3]), &[before]).url_changed, Some(true));
}

#[test]
fn an_equal_rank_keeps_the_best_positions_date() {
    let best = Some(BestPosition {
        position: 4,
        at: day(-3),
    });
    let record = |own| {
        rank(&RankInput {
            keyword: &keyword(None),
            site: &SiteScope::of("acme.com"),
            measurement: Measurement::Seen(&page(100, &[own])),
            past: PastRanks {
                points: &[],
                best,
                worst: Some(6),
            },
            own_data: None,
            difficulty: None,
        })
    };
    assert_eq!(
        (record(2).best_position, record(2).best_position_at),
        (Some(2), Some(day(0)))
    );
    assert_eq!(
        (record(4).best_position, record(4).best_position_at),
        (Some(4), Some(day(-3)))
    );
    assert_eq!(
        (record(4).worst_position, record(40).worst_position),
        (Some(6), Some(40))
    );
}

#[test]
fn averages_use_one_point_a_day_and_depth_plus_one() {
    let mut again = point(1, Some(50), 100);
    again.measured_at -= TimeDelta::minutes(10);
    let history = [
        point(1, Some(6), 100),
        again,
        failure(2),
        point(3, None, 100),
        point(7, Some(90), 100),
    ];
    let record = ranked(&page(100, &[4]), &history);
    assert_eq!(record.moving_average7, Some((4.0 + 6.0 + 101.0) / 3.0));
    assert_eq!(record.median_position28, Some(48.0));
    assert!(record.volatility28.is_some());
}

#[test]
fn volatility_needs_five_measurements() {
    let history: Vec<_> = (1..=4).map(|ago| point(ago, Some(4), 100)).collect();
    assert_eq!(ranked(&page(100, &[4]), &history).volatility28, Some(0.0));
    assert_eq!(ranked(&page(100, &[4]), &history[..3]).volatility28, None);
}

#[test]
fn without_a_volume_only_shares_are_known() {
    let record = ranked_with(&page(100, &[4]), &[point(1, Some(9), 100)], None);
    assert_eq!(
        (
            record.estimated_clicks,
            record.potential_clicks,
            record.clicks_change
        ),
        (None, None, None)
    );
    assert!((record.expected_ctr.unwrap() - 0.08).abs() < 1e-12);
    assert!((record.ctr_change.unwrap() - 0.052).abs() < 1e-12);
}

#[test]
fn an_unranked_site_has_only_potential_clicks() {
    let record = ranked(&page(100, &[]), &[]);
    assert_eq!(
        (record.expected_ctr, record.estimated_clicks),
        (Some(0.0), Some(0.0))
    );
    assert!(record.estimated_clicks.unwrap().is_sign_positive());
    assert!((record.potential_clicks.unwrap() - 285.0).abs() < 1e-9);
}

#[test]
fn a_page_with_few_results_is_partial() {
    let record = ranked(&page(4, &[2]), &[]);
    assert_eq!(record.envelope.status, RecordStatus::Partial);
    assert_eq!(record.envelope.warnings, ["fewResults"]);
}

#[test]
fn page_features_lower_expected_clicks() {
    let mut page = page(100, &[1]);
    page.ai_overview = Some(AiOverview {
        present: true,
        ..AiOverview::absent()
    });
    page.blocks.insert(
        0,
        Block {
            absolute_position: Some(1),
            page: 1,
            content: BlockContent::Feature(FeatureBlock {
                feature: Feature::FeaturedSnippet,
                title: None,
                text: None,
                links: vec![PageLink {
                    title: String::new(),
                    url: OWN.into(),
                }],
            }),
        },
    );
    assert!((ranked(&page, &[]).expected_ctr.unwrap() - 0.097_914_6).abs() < 1e-9);
}

#[test]
fn owned_features_and_overview_citations_are_reported() {
    let mut page = page(20, &[4]);
    let link = |url: &str| PageLink {
        title: String::new(),
        url: url.into(),
    };
    for (feature, url) in [
        (Feature::Images, "https://site1.net/"),
        (Feature::LocalPack, "https://shop.acme.com/"),
        (Feature::Images, OWN),
        (Feature::Video, "https://site1.net/"),
    ] {
        page.blocks.push(Block {
            absolute_position: None,
            page: 1,
            content: BlockContent::Feature(FeatureBlock {
                feature,
                title: None,
                text: None,
                links: vec![link(url)],
            }),
        });
    }
    page.ai_overview = Some(AiOverview {
        present: true,
        citations: vec![link("https://site1.net/"), link(OWN)],
        ..AiOverview::absent()
    });
    let record = ranked(&page, &[]);
    assert_eq!(
        record.features_owned,
        Some(vec![
            Feature::AiOverview,
            Feature::LocalPack,
            Feature::Images
        ])
    );
    assert_eq!(record.features_present.as_ref().map(Vec::len), Some(4));
    let overview = record.ai_overview.unwrap();
    assert_eq!(
        (overview.own_cited, overview.own_citation_index),
        (true, Some(2))
    );
    let summary = tally(&[record]);
    assert_eq!(
        (
            summary.ai_overview_known,
            summary.ai_overview_present,
            summary.ai_overview_own_cited
        ),
        (1, 1, 1)
    );
    assert_eq!(summary.features_owned[0].owned, 1);
    page.feature_coverage = FeatureCoverage::Absent;
    page.ai_overview = None;
    let record = ranked(&page, &[]);
    assert_eq!(
        (
            record.features_present,
            record.features_owned,
            record.ai_overview
        ),
        (None, None, None)
    );
}

#[test]
fn changes_cover_a_day_a_week_and_a_month() {
    let history = [
        point(1, Some(6), 100),
        failure(7),
        point(8, None, 100),
        point(33, Some(2), 100),
    ];
    let record = ranked(&page(100, &[4]), &history);
    let fields =
        |change: Option<ChangeOver>| change.map(|it| (it.since, it.change, it.change_kind));
    assert_eq!(
        fields(record.change1),
        Some((day(-1), Some(2), ChangeKind::Up))
    );
    assert_eq!(
        fields(record.change7),
        Some((day(-8), None, ChangeKind::New))
    );
    assert_eq!(
        fields(record.change30),
        Some((day(-33), Some(-2), ChangeKind::Down))
    );
    let weekly = ranked(
        &page(100, &[4]),
        &[point(7, Some(6), 100), point(38, Some(1), 100)],
    );
    assert_eq!((weekly.change1, weekly.change30), (None, None));
    assert!(weekly.change7.is_some());
    assert_eq!(
        failed(PastRanks {
            points: &history,
            best: None,
            worst: None
        })
        .change1,
        None
    );
}

#[test]
fn an_opportunity_needs_a_difficulty_and_a_volume() {
    let mut record = ranked(&page(100, &[8]), &[]);
    assert_eq!(
        (record.target_position, record.striking_distance),
        (Some(3), Some(true))
    );
    assert!((record.target_ctr_gain.unwrap() - 0.078).abs() < 1e-12);
    assert_eq!(record.opportunity, None);
    record.set_difficulty(Some(36.0));
    assert!((record.opportunity.unwrap() - 62.4).abs() < 1e-9);
    let mut unknown = ranked_with(&page(100, &[8]), &[], None);
    unknown.set_difficulty(Some(36.0));
    assert_eq!(
        (unknown.opportunity, unknown.difficulty),
        (None, Some(36.0))
    );
    let summary = tally(&[record, unknown]);
    assert_eq!(summary.striking_distance, 2);
    assert!((summary.opportunity.unwrap() - 62.4).abs() < 1e-9);
}

#[test]
fn a_projects_own_curve_moves_clicks_and_leaves_visibility() {
    let rows: Vec<crate::ctr::PositionClicks> = (1..=10)
        .map(|position| crate::ctr::PositionClicks {
            position,
            impressions: 10_000,
            clicks: 1_000,
        })
        .collect();
    let own = OwnSearchData {
        curve: crate::ctr::ClickCurve::measured("own-2026-08", &rows),
        position: Some(4.3),
        clicks: Some(12),
        impressions: Some(340),
        period: None,
    };
    let record = rank(&RankInput {
        keyword: &keyword(Some(1000)),
        site: &SiteScope::of("acme.com"),
        measurement: Measurement::Seen(&page(100, &[4])),
        past: PastRanks::default(),
        own_data: Some(&own),
        difficulty: None,
    });
    assert_eq!(
        (record.ctr_model.as_str(), record.gsc_position),
        ("own-2026-08", Some(4.3))
    );
    assert!((record.estimated_clicks.unwrap() - 100.0).abs() < 1e-9);
    let published = tally(&[ranked(&page(100, &[4]), &[])])
        .visibility_index
        .unwrap();
    assert!((tally(&[record]).visibility_index.unwrap() - published).abs() < 1e-12);
}

#[test]
fn a_record_of_the_first_version_is_still_read() {
    let record = ranked(&page(100, &[4]), &[]);
    let mut json = serde_json::to_value(&record).unwrap();
    let fields = json.as_object_mut().unwrap();
    for later in [
        "change1",
        "change7",
        "change30",
        "featuresPresent",
        "featuresOwned",
        "aiOverview",
        "ctrModel",
        "gscPosition",
        "isBranded",
        "strikingDistance",
        "difficulty",
        "targetPosition",
        "targetCtrGain",
        "opportunity",
        "priorityScore",
    ] {
        assert!(fields.remove(later).is_some(), "{later}");
    }
    let old: RankingRecord = serde_json::from_value(json).unwrap();
    assert_eq!((old.position, old.ctr_model.as_str()), (Some(4), "ctr-v1"));
}

#[test]
fn a_ranking_record_round_trips_with_all_members() {
    let record = ranked(&page(100, &[4, 9]), &[point(1, Some(9), 100)]);
    let json = serde_json::to_value(&record).unwrap();
    for field in [
        "type",
        "projectId",
        "keywordId",
        "url",
        "measuredAt",
        "status",
        "provenance",
        "methodVersion",
        "sampleSize",
        "warnings",
        "keyword",
        "engine",
        "country",
        "location",
        "language",
        "device",
        "position",
        "absolutePosition",
        "page",
        "depthChecked",
        "title",
        "snippet",
        "ownUrls",
        "previousPosition",
        "bestPosition",
        "bestPositionAt",
        "worstPosition",
        "change",
        "changeKind",
        "urlChanged",
        "movingAverage7",
        "medianPosition28",
        "volatility28",
        "expectedCtr",
        "estimatedClicks",
        "potentialClicks",
        "bucket",
        "inFeaturedSnippet",
        "enteredFrom",
        "change1",
        "change7",
        "change30",
        "featuresPresent",
        "featuresOwned",
        "aiOverview",
        "gscPosition",
        "opportunity",
        "priorityScore",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!(
        (&json["type"], &json["bucket"]),
        (&"rankings".into(), &"4-10".into())
    );
    let back: RankingRecord = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), json);
}

fn tally(records: &[RankingRecord]) -> RankingsSummary {
    let mut tally = RankingsTally::default();
    for record in records {
        tally.add(record);
    }
    tally.finish(records.len() as u64)
}

#[test]
fn visibility_is_that_of_the_worked_example() {
    let records = [
        ranked_with(&page(100, &[1]), &[], Some(1000)),
        ranked_with(&page(100, &[5]), &[], Some(500)),
        ranked_with(&page(100, &[]), &[], Some(200)),
    ];
    let summary = tally(&records);
    assert!((summary.visibility_index.unwrap() - 66.253_870).abs() < 1e-6);
    assert_eq!(summary.weighting, Weighting::Volume);
    assert_eq!(
        (summary.average_position, summary.average_position_all),
        (Some(3.0), Some(107.0 / 3.0))
    );
    assert_eq!(
        (
            summary.buckets.first,
            summary.buckets.top10,
            summary.buckets.not_ranked
        ),
        (1, 1, 1)
    );
}

#[test]
fn a_missing_volume_makes_all_weights_equal() {
    let records = [
        ranked_with(&page(100, &[1]), &[], Some(1000)),
        ranked_with(&page(100, &[]), &[], None),
    ];
    let summary = tally(&records);
    assert_eq!(
        (summary.weighting, summary.visibility_index),
        (Weighting::Equal, Some(50.0))
    );
    assert_eq!(summary.estimated_traffic_keywords, 1);
}

#[test]
fn failures_are_counted_and_otherwise_left_out() {
    let summary = tally(&[ranked(&page(100, &[1]), &[]), failed(PastRanks::default())]);
    assert_eq!(
        (
            summary.coverage.requested,
            summary.coverage.measured,
            summary.coverage.failed
        ),
        (2, 1, 1)
    );
    assert_eq!(summary.visibility_index, Some(100.0));
    let nothing = tally(&[failed(PastRanks::default())]);
    assert_eq!(
        (
            nothing.visibility_index,
            nothing.average_position_all,
            nothing.estimated_traffic
        ),
        (None, None, None)
    );
}

#[test]
fn winners_and_losers_are_the_ten_largest_moves() {
    let records: Vec<_> = (2..=20)
        .map(|was| {
            let mut record = ranked(&page(100, &[1]), &[point(1, Some(was), 100)]);
            record.envelope.keyword_id = Some(i64::from(was));
            record
        })
        .chain([ranked(&page(100, &[]), &[point(1, Some(1), 100)])])
        .collect();
    let summary = tally(&records);
    assert_eq!((summary.winners.len(), summary.losers.len()), (10, 1));
    assert_eq!(summary.winners[0].keyword_id, Some(20));
    assert_eq!(summary.winners[9].keyword_id, Some(11));
    assert_eq!(
        (summary.losers[0].position, summary.losers[0].change_kind),
        (None, ChangeKind::Lost)
    );
    assert_eq!((summary.improved, summary.declined), (19, 1));
}

proptest! {
    #[test]
    fn visibility_ignores_duplicated_keywords(
        ranks in proptest::collection::vec((proptest::option::of(1_u32..100), 1_u64..5000), 1..12)
    ) {
        let records: Vec<_> = ranks
            .iter()
            .map(|(position, volume)| {
                let mut record = ranked_with(&page(10, &[]), &[], Some(*volume));
                record.position = *position;
                record
            })
            .collect();
        let twice: Vec<_> = records.iter().chain(&records).cloned().collect();
        let (once, twice) = (tally(&records), tally(&twice));
        let (once, twice) = (once.visibility_index.unwrap(), twice.visibility_index.unwrap());
        prop_assert!((once - twice).abs() < 1e-9);
        prop_assert!((0.0..=100.0).contains(&once));
    }

    #[test]
    fn the_order_of_records_does_not_matter(
        moves in proptest::collection::vec((1_u32..100, 1_u32..100), 1..25), shift in 0_usize..25
    ) {
        let mut records: Vec<_> = moves
            .iter()
            .zip(1..)
            .map(|((was, is), id)| {
                let mut record = ranked(&page(100, &[*is]), &[point(1, Some(*was), 100)]);
                record.envelope.keyword_id = Some(id);
                record
            })
            .collect();
        let first = tally(&records);
        let shift = shift % records.len();
        records.rotate_left(shift);
        let second = tally(&records);
        prop_assert_eq!(first.winners, second.winners);
        prop_assert_eq!(first.losers, second.losers);
        prop_assert_eq!(first.buckets, second.buckets);
    }
}

const HOSTS: [&str; 12] = [
    "example.com",
    "www.example.com",
    "blog.example.com",
    "example.co.uk",
    "shop.example.co.uk",
    "other.co.uk",
    "acme.github.io",
    "docs.acme.github.io",
    "rival.github.io",
    "xn--mnchen-3ya.de",
    "www.xn--mnchen-3ya.de",
    "notexample.com",
];

/// The same pages as in `tests/oracles/visibility_oracle.py`.
fn generated_pages() -> Vec<SearchPage> {
    let mut state: u64 = 12_345;
    let mut draw = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        HOSTS[usize::try_from(state >> 16).expect("15 bits") % HOSTS.len()]
    };
    (0..40)
        .map(|query| {
            let mut page = page(0, &[]);
            page.blocks = (1..=25)
                .map(|position| organic(position, &format!("https://{}/{query}", draw())))
                .collect();
            page
        })
        .collect()
}

/// Figures of an independent Python program with `publicsuffixlist` 1.1.2.20261023.
#[test]
fn visibility_matches_an_independent_program() {
    let pages = generated_pages();
    for (host, visibility, ranked, top_ten) in [
        ("example.com", 49.159_543, 40, 39),
        ("www.example.co.uk", 34.991_657, 40, 30),
        ("other.co.uk", 18.289_919, 38, 21),
        ("acme.github.io", 36.142_315, 40, 36),
        ("rival.github.io", 24.067_161, 39, 18),
        ("xn--mnchen-3ya.de", 33.427_664, 40, 31),
        ("notexample.com", 23.635_040, 36, 22),
    ] {
        let mut tally = RankingsTally::default();
        for page in &pages {
            tally.add(&rank(&RankInput {
                keyword: &keyword(None),
                site: &SiteScope::of(host),
                measurement: Measurement::Seen(page),
                past: PastRanks::default(),
                own_data: None,
                difficulty: None,
            }));
        }
        let summary = tally.finish(40);
        let buckets = summary.buckets;
        assert!(
            (summary.visibility_index.unwrap() - visibility).abs() < 1e-6,
            "{host}"
        );
        assert_eq!(40 - buckets.not_ranked, ranked, "{host}");
        assert_eq!(
            buckets.first + buckets.top3 + buckets.top10,
            top_ten,
            "{host}"
        );
    }
}
