//! Alternations with known counts, and properties.

use super::*;
use crate::{observation::search_page::Device, provenance::RecordStatus};
use chrono::TimeDelta;
use proptest::prelude::*;

fn day(number: usize) -> DateTime<Utc> {
    let start = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
    start + TimeDelta::days(i64::try_from(number).unwrap())
}

fn url(name: char) -> String {
    format!("https://www.acme.com/{name}")
}

fn key(name: char) -> String {
    format!("acme.com/{name}")
}

/// A day for each entry: letters of own URLs with their positions.
fn days<P: AsRef<[(char, u32)]>>(entries: &[P]) -> Vec<OwnSnapshot> {
    entries
        .iter()
        .enumerate()
        .map(|(number, places)| OwnSnapshot {
            at: day(number),
            depth_checked: 100,
            places: places
                .as_ref()
                .iter()
                .map(|(name, position)| OwnPlace {
                    url: url(*name),
                    position: *position,
                    expected_ctr: None,
                })
                .collect(),
        })
        .collect()
}

fn record_with(
    snapshots: &[OwnSnapshot],
    keyword: &str,
    pages: &BTreeMap<String, PageFacts>,
    similarity: Option<f64>,
) -> Option<CannibalizationRecord> {
    let keyword = TrackedKeyword {
        project_id: 1,
        keyword_id: 7,
        keyword: keyword.into(),
        country: "us".into(),
        location: None,
        language: "en".into(),
        device: Device::Desktop,
        search_volume: Some(1_000),
    };
    let similarities = similarity.map(|it| ((key('a'), key('b')), it));
    evaluate(&CannibalizationInput {
        keyword: &keyword,
        engine: "google",
        provider: None,
        provenance: Provenance::Measured,
        site: &SiteScope::of("acme.com"),
        snapshots,
        pages,
        similarities: &similarities.into_iter().collect(),
    })
}

fn record_of(snapshots: &[OwnSnapshot]) -> Option<CannibalizationRecord> {
    record_with(snapshots, "running shoes", &BTreeMap::new(), None)
}

fn facts(pages: Vec<(char, PageFacts)>) -> BTreeMap<String, PageFacts> {
    pages
        .into_iter()
        .map(|(name, facts)| (key(name), facts))
        .collect()
}

const ALTERNATING: [&[(char, u32)]; 6] = [
    &[('a', 4)],
    &[('b', 9)],
    &[('a', 4)],
    &[('b', 9)],
    &[('a', 4)],
    &[('b', 9)],
];

#[test]
fn the_score_has_four_weighted_parts() {
    let record = record_of(&days(&ALTERNATING)).unwrap();
    assert_eq!(
        (record.flip_rate, record.flip_returns),
        (Some(1.0), Some(8))
    );
    assert!(record.overlap_rate.abs() < 1e-12);
    let (a, b) = (0.080, 0.028);
    let (share, other) = (a / (a + b), b / (a + b));
    let split = (1.0 - share * share - other * other) * 2.0;
    assert!((record.split - split).abs() < 1e-12);
    let cost = 1.0 - f64::midpoint(a, b) / a;
    assert!((record.cost.unwrap() - cost).abs() < 1e-12);
    assert!((record.lost_clicks.unwrap() - 1_000.0 * (a - f64::midpoint(a, b))).abs() < 1e-9);
    let score = 100.0 * (0.35 + 0.30 * split + 0.20 * cost);
    assert!((record.score.unwrap() - score).abs() < 1e-9);
    assert_eq!(record.severity, Some(Severity::High));
    assert_eq!(
        (record.primary_url.as_str(), record.share_basis),
        (url('a').as_str(), ShareBasis::ExpectedCtr)
    );
    assert_eq!(record.urls[0].snapshots_as_best, 3);
    assert_eq!(record.window.snapshots, 6);
    // The similarity of the texts is unknown.
    assert_eq!(
        (record.action, record.envelope.warnings.as_slice()),
        (None, &["actionUndecided".to_owned()][..])
    );
}

#[test]
fn clicks_take_precedence_over_impressions_and_ctr() {
    let page = |clicks, impressions| PageFacts {
        clicks,
        impressions,
        ..Default::default()
    };
    let shown = facts(vec![
        ('a', page(Some(95), Some(10))),
        ('b', page(Some(5), Some(10))),
    ]);
    let record = record_with(&days(&ALTERNATING), "shoes", &shown, None).unwrap();
    assert_eq!(record.share_basis, ShareBasis::Clicks);
    assert!((record.split - (1.0 - 0.905) * 2.0).abs() < 1e-12);
    assert!((record.effective_urls.unwrap() - 1.1050).abs() < 5e-5);
    assert!((record.entropy.unwrap() - 0.2864).abs() < 5e-5);
    let shown = facts(vec![
        ('a', page(Some(0), Some(10))),
        ('b', page(None, Some(10))),
    ]);
    let record = record_with(&days(&ALTERNATING), "shoes", &shown, None).unwrap();
    assert_eq!(
        (record.share_basis, record.effective_urls),
        (ShareBasis::Impressions, Some(2.0))
    );
}

#[test]
fn neighbours_that_the_engine_groups_are_no_overlap() {
    let record = record_of(&days(&[&[('a', 4), ('b', 5)]; 6])).unwrap();
    assert!(record.overlap_rate.abs() < 1e-12 && (record.host_cluster_rate - 1.0).abs() < 1e-12);
    let apart = record_of(&days(&[&[('a', 4), ('b', 6)]; 6])).unwrap();
    assert!((apart.overlap_rate - 1.0).abs() < 1e-12 && apart.host_cluster_rate.abs() < 1e-12);
    let below = record_of(&days(&[&[('a', 11), ('b', 12)]; 6])).unwrap();
    assert!((below.overlap_rate - 1.0).abs() < 1e-12);
    let deep = record_of(&days(&[&[('a', 11), ('b', 21)]; 6])).unwrap();
    assert!(deep.overlap_rate.abs() < 1e-12);
    // Two results at once get more clicks than the best of them alone.
    assert_eq!(apart.cost, Some(0.0));
}

#[test]
fn one_page_or_positions_below_50_do_not_compete() {
    assert_eq!(record_of(&days(&[&[('a', 4)]; 9])), None);
    assert_eq!(record_of(&days(&[&[('a', 4), ('b', 51)]; 9])), None);
    assert_eq!(record_of(&days::<[(char, u32); 0]>(&[])), None);
    assert!(record_of(&days(&[&[('a', 4), ('b', 50)]; 9])).is_some());
}

#[test]
fn few_snapshots_give_split_and_overlap_only() {
    let record = record_of(&days(&ALTERNATING[..4])).unwrap();
    assert_eq!(record.envelope.status, RecordStatus::Partial);
    assert_eq!(
        (record.score, record.severity, record.action),
        (None, None, None)
    );
    assert_eq!(
        (record.flip_rate, record.flip_returns, record.cost),
        (None, None, None)
    );
    assert!(record.split > 0.0);
}

#[test]
fn a_permanent_url_change_is_a_migration() {
    let moved: Vec<&[(char, u32)]> = vec![
        &[('a', 4)],
        &[('a', 4)],
        &[('b', 4)],
        &[('b', 5)],
        &[('b', 4)],
        &[('b', 4), ('c', 30)],
    ];
    let record = record_of(&days(&moved)).unwrap();
    assert_eq!(record.flip_rate, Some(0.0));
    assert_eq!(record.migrations.len(), 1);
    assert_eq!(
        (
            record.migrations[0].from.as_str(),
            record.migrations[0].to.as_str(),
            record.migrations[0].at
        ),
        (url('a').as_str(), url('b').as_str(), day(2))
    );
    assert_eq!(record.urls.len(), 2);
    // With no other page left there is nothing to report.
    assert_eq!(record_of(&days(&moved[..5])), None);
    // One snapshot with the new page may be a flip.
    let flipped = record_of(&days(&[
        [('a', 4)],
        [('a', 4)],
        [('a', 4)],
        [('a', 4)],
        [('b', 4)],
    ]))
    .unwrap();
    assert!(flipped.migrations.is_empty() && flipped.flip_rate == Some(0.25));
}

#[test]
fn paginated_urls_are_one_page() {
    let mut snapshots = days(&ALTERNATING);
    for place in snapshots.iter_mut().flat_map(|it| &mut it.places) {
        if place.url.ends_with('b') {
            place.url = format!("{}?page=2", url('a'));
        }
    }
    assert_eq!(record_of(&snapshots), None);
}

#[test]
fn the_home_page_is_ignored_for_branded_keywords() {
    let mut snapshots = days(&ALTERNATING);
    for place in snapshots.iter_mut().flat_map(|it| &mut it.places) {
        if place.url.ends_with('a') {
            place.url = "https://acme.com/".into();
        }
    }
    assert_eq!(
        record_with(&snapshots, "acme shoes", &BTreeMap::new(), None),
        None
    );
    assert!(record_with(&snapshots, "shoes", &BTreeMap::new(), None).is_some());
}

#[test]
fn canonicalized_pages_score_zero() {
    let canonical = PageFacts {
        canonical: Some(url('a')),
        ..Default::default()
    };
    let settled = facts(vec![('b', canonical)]);
    let record = record_with(&days(&ALTERNATING), "shoes", &settled, Some(0.95)).unwrap();
    assert_eq!(
        (record.tied, record.score),
        (Some(Tie::SamePage), Some(0.0))
    );
    assert_eq!(record.action, Some(Action::None));
    // Also if the other one is canonical.
    let canonical = PageFacts {
        canonical: Some(url('b')),
        ..Default::default()
    };
    let redirect = PageFacts {
        redirects_to: Some(url('b')),
        canonical: Some(url('a')),
        ..Default::default()
    };
    for facts_of_a in [canonical, redirect] {
        let settled = facts(vec![('a', facts_of_a)]);
        let record = record_with(&days(&ALTERNATING), "shoes", &settled, None).unwrap();
        assert_eq!(record.tied, Some(Tie::SamePage));
    }
    let languages = PageFacts {
        alternates: vec![url('b')],
        ..Default::default()
    };
    let settled = facts(vec![('a', languages), ('b', PageFacts::default())]);
    let record = record_with(&days(&ALTERNATING), "shoes", &settled, None).unwrap();
    assert_eq!(
        (record.tied, record.severity),
        (Some(Tie::Alternates), Some(Severity::None))
    );
}

#[test]
fn different_intents_halve_the_score() {
    let page = |intent| PageFacts {
        intent: Some(intent),
        ..Default::default()
    };
    let pages = |other| facts(vec![('a', page(Intent::Commercial)), ('b', page(other))]);
    let same = record_with(
        &days(&ALTERNATING),
        "shoes",
        &pages(Intent::Commercial),
        Some(0.1),
    )
    .unwrap();
    let other = record_with(
        &days(&ALTERNATING),
        "shoes",
        &pages(Intent::Informational),
        Some(0.1),
    )
    .unwrap();
    assert!((same.score.unwrap() - 2.0 * other.score.unwrap()).abs() < 1e-9);
    assert_eq!(
        (same.same_intent, other.same_intent),
        (Some(true), Some(false))
    );
    assert_eq!(
        (same.action, other.action),
        (Some(Action::Differentiate), Some(Action::None))
    );
    let alike = record_with(&days(&ALTERNATING), "shoes", &BTreeMap::new(), Some(0.85)).unwrap();
    assert_eq!(
        (alike.action, alike.text_similarity),
        (Some(Action::Redirect301), Some(0.85))
    );
}

#[test]
fn older_snapshots_are_left_out() {
    let mut snapshots = days(&[&[('a', 4)]; 8]);
    snapshots[0].places[0].url = url('b');
    assert!(record_of(&snapshots).is_none_or(|it| !it.migrations.is_empty()));
    snapshots[0].at = day(7) - TimeDelta::days(28);
    assert_eq!(record_of(&snapshots), None);
}

#[test]
fn a_record_round_trips_and_is_summarized() {
    let record = record_of(&days(&ALTERNATING)).unwrap();
    let json = serde_json::to_value(&record).unwrap();
    let back: CannibalizationRecord = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), json);
    let mut tally = CannibalizationTally::default();
    tally.add(Some(&record));
    tally.add(None);
    tally.add(record_of(&days(&ALTERNATING[..4])).as_ref());
    let summary = tally.finish(5);
    assert_eq!(
        (summary.keywords, summary.high, summary.undecided),
        (2, 1, 1)
    );
    assert_eq!(
        (summary.coverage.measured, summary.coverage.skipped),
        (3, 2)
    );
    assert!((summary.lost_clicks.unwrap() - 26.0).abs() < 1e-9);
}

fn window() -> impl Strategy<Value = Vec<OwnSnapshot>> {
    let place = (proptest::sample::select(vec!['a', 'b', 'c']), 1_u32..60);
    proptest::collection::vec(proptest::collection::vec(place, 0..4), 0..20).prop_map(|all| {
        let all: Vec<Vec<(char, u32)>> = all
            .into_iter()
            .map(|mut places| {
                places.sort_by_key(|(_, position)| *position);
                places.dedup_by_key(|(_, position)| *position);
                places
            })
            .collect();
        days(&all)
    })
}

proptest! {
    #[test]
    fn figures_stay_in_bounds_and_shares_add_up(snapshots in window()) {
        if let Some(record) = record_of(&snapshots) {
            prop_assert!(record.score.is_none_or(|it| (0.0..=100.0 + 1e-9).contains(&it)));
            let parts = [Some(record.split), Some(record.overlap_rate), record.flip_rate, record.cost, record.entropy];
            prop_assert!(parts.into_iter().flatten().all(|it| (-1e-12..=1.0 + 1e-12).contains(&it)));
            let sum: f64 = record.urls.iter().map(|it| it.share).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
            prop_assert_eq!(&record.primary_url, &record.urls[0].url);
            prop_assert!(record.urls.len() >= 2);
        }
    }

    #[test]
    fn the_order_of_snapshots_does_not_matter(snapshots in window()) {
        let mut turned = snapshots.clone();
        turned.reverse();
        prop_assert_eq!(record_of(&snapshots), record_of(&turned));
    }
}
