//! Snapshot records, their changes and summaries.

use super::*;
use crate::findings::keyword_market::FailedMeasurement;
use crate::observation::search_page::{
    AiOverview, Block, BlockContent, Device, FeatureBlock, OrganicResult, SearchPage,
};
use crate::provenance::{Provenance, RecordStatus};
use proptest::prelude::*;

fn at() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

fn keyword() -> TrackedKeyword {
    TrackedKeyword {
        project_id: 1,
        keyword_id: 7,
        keyword: "running shoes".into(),
        country: "us".into(),
        location: None,
        language: "en".into(),
        device: Device::Desktop,
        search_volume: None,
    }
}

fn block(position: u32, content: BlockContent) -> Block {
    Block {
        absolute_position: Some(position),
        page: 1,
        content,
    }
}

fn feature(feature: Feature, urls: &[&str]) -> BlockContent {
    let links = urls.iter().map(|url| PageLink {
        title: String::new(),
        url: (*url).to_owned(),
    });
    BlockContent::Feature(FeatureBlock {
        feature,
        title: None,
        text: None,
        links: links.collect(),
    })
}

fn page(features: &[Feature], urls: &[String]) -> SearchPage {
    let organic = urls.iter().zip(1..).map(|(url, position)| {
        BlockContent::Organic(OrganicResult {
            position,
            url: url.clone(),
            title: format!("Running shoes {position}"),
            ..Default::default()
        })
    });
    let contents = features
        .iter()
        .map(|it| feature(*it, &["https://acme.com/f"]))
        .chain(organic);
    SearchPage {
        engine: "google".into(),
        provider: "web search".into(),
        provenance: Provenance::Measured,
        fetched_at: at(),
        calls: 1,
        total_results_estimate: Some(12_000),
        feature_coverage: FeatureCoverage::Complete,
        blocks: contents
            .zip(1..)
            .map(|(content, position)| block(position, content))
            .collect(),
        ai_overview: Some(AiOverview::absent()),
        related: vec!["trail shoes".into()],
        warnings: Vec::new(),
    }
}

fn urls(names: &str) -> Vec<String> {
    names
        .chars()
        .map(|name| format!("https://{name}.example.net/"))
        .collect()
}

fn snapshot_of(page: &SearchPage, previous: Option<&PreviousSerp>) -> SerpRecord {
    snapshot(&SerpInput {
        keyword: &keyword(),
        site: &SiteScope::of("acme.com"),
        measurement: Measurement::Seen(page),
        competitors: None,
        previous,
        month_ago: None,
        prominence: None,
    })
}

#[test]
fn an_unchanged_page_is_wholly_stable() {
    let page = page(&[Feature::Images], &urls("abcdefghijkl"));
    let stability = snapshot_of(&page, Some(&PreviousSerp::of_page(&page)))
        .stability
        .unwrap();
    assert!((stability.rbo_with_previous.unwrap() - 1.0).abs() < 1e-9);
    assert!((stability.overlap_top10 - 1.0).abs() < 1e-12);
    assert!(stability.new_urls.is_empty() && stability.lost_urls.is_empty());
    assert_eq!(stability.features_added, Some(Vec::new()));
}

#[test]
fn stability_matches_the_published_example() {
    let before = PreviousSerp::of_page(&page(
        &[Feature::Images, Feature::Video],
        &urls("bacedfgkhl"),
    ));
    let now = page(&[Feature::Images, Feature::LocalPack], &urls("abcdefghij"));
    let stability = snapshot_of(&now, Some(&before)).stability.unwrap();
    assert!((stability.rbo_with_previous.unwrap() - 0.793_529).abs() < 1e-6);
    assert!((stability.overlap_top10 - 0.8).abs() < 1e-12);
    assert_eq!(stability.new_urls, ["i.example.net/", "j.example.net/"]);
    assert_eq!(stability.lost_urls, ["k.example.net/", "l.example.net/"]);
    assert_eq!(stability.features_added, Some(vec![Feature::LocalPack]));
    assert_eq!(stability.features_removed, Some(vec![Feature::Video]));
}

#[test]
fn overtaken_domains_are_those_that_changed_sides() {
    let own = |places: &str| {
        places
            .chars()
            .map(|name| match name {
                '*' => "https://acme.com/page".to_owned(),
                _ => format!("https://{name}.example/"),
            })
            .collect::<Vec<_>>()
    };
    let names = |text: Option<&str>| {
        text.map(|it| {
            it.chars()
                .map(|name| format!("{name}.example"))
                .collect::<Vec<_>>()
        })
    };
    for (before, now, overtaken, by) in [
        ("ab*c", "a*bc", Some("b"), Some("")),
        ("a*bc", "cab*", Some(""), Some("cb")),
        // A domain that left the page is overtaken; one that appears above has overtaken.
        ("ab*", "xa*", Some("b"), Some("x")),
        ("ab", "a*", Some("b"), Some("")),
        ("a*", "ab", Some(""), Some("b")),
        ("ab", "ba", None, None),
    ] {
        let before = PreviousSerp::of_page(&page(&[], &own(before)));
        let found = snapshot_of(&page(&[], &own(now)), Some(&before));
        let found = found.stability.unwrap();
        assert_eq!(
            found.overtaken_domains,
            names(overtaken),
            "{before:?} {now}"
        );
        assert_eq!(found.overtaken_by_domains, names(by), "{before:?} {now}");
    }
}

#[test]
fn features_are_compared_only_with_equal_coverage() {
    let mut before = PreviousSerp::of_page(&page(&[Feature::Images], &urls("ab")));
    before.feature_coverage = FeatureCoverage::Partial;
    let stability = snapshot_of(&page(&[], &urls("ab")), Some(&before))
        .stability
        .unwrap();
    assert_eq!(
        (stability.features_added, stability.features_removed),
        (None, None)
    );
}

#[test]
fn a_captcha_is_an_error_and_claims_nothing() {
    let mut empty = page(&[], &[]);
    empty.total_results_estimate = None;
    let record = snapshot_of(
        &empty,
        Some(&PreviousSerp::of_page(&page(&[], &urls("ab")))),
    );
    assert_eq!(record.envelope.status, RecordStatus::Error);
    assert_eq!(record.envelope.error.as_deref(), Some("blocked"));
    assert!(record.stability.is_none() && record.own_share.is_none());
    assert!(PreviousSerp::of(&record).is_none());
}

#[test]
fn a_failed_measurement_names_its_code() {
    let failure = FailedMeasurement {
        code: "supplierUnavailable".into(),
        at: at(),
        engine: "google".into(),
        provider: "web search".into(),
        provenance: Provenance::Measured,
    };
    let record = snapshot(&SerpInput {
        keyword: &keyword(),
        site: &SiteScope::of("acme.com"),
        measurement: Measurement::Failed(&failure),
        competitors: None,
        previous: None,
        month_ago: None,
        prominence: None,
    });
    assert_eq!(
        record.envelope.error.as_deref(),
        Some("supplierUnavailable")
    );
    assert_eq!((record.envelope.sample_size, record.items.len()), (0, 0));
}

#[test]
fn a_block_is_own_by_its_address_not_by_its_other_links() {
    let mut page = page(&[], &urls("a"));
    let links = ["https://rival.example/", "https://acme.com/f"];
    page.blocks = vec![
        block(1, feature(Feature::Images, &links)),
        block(
            2,
            feature(
                Feature::Images,
                &["https://acme.com/f", "https://rival.example/"],
            ),
        ),
    ];
    let record = snapshot_of(&page, None);
    let ownership = record.items.iter().map(|it| (it.is_own, it.leads_to_own));
    assert_eq!(ownership.collect::<Vec<_>>(), [(false, true), (true, true)]);
    assert_eq!(record.own_share, Some(1.0));
}

#[test]
fn own_and_competitor_blocks_are_distinguished() {
    let mut all = urls("abc");
    all.push("https://blog.acme.com/x".into());
    let page = page(&[Feature::FeaturedSnippet], &all);
    let record = snapshot_of(&page, None);
    assert_eq!(
        record.items.iter().map(|it| it.is_own).collect::<Vec<_>>(),
        [true, false, false, false, true]
    );
    assert!((record.own_share.unwrap() - 0.4).abs() < 1e-12);
    assert!(record.features[0].own_present && record.features[0].domains == ["acme.com"]);
    assert!(record.items.iter().all(|it| it.is_competitor.is_none()));

    let competitors = BTreeSet::from(["example.net".to_owned()]);
    let record = snapshot(&SerpInput {
        keyword: &keyword(),
        site: &SiteScope::of("acme.com"),
        measurement: Measurement::Seen(&page),
        competitors: Some(&competitors),
        previous: None,
        month_ago: None,
        prominence: None,
    });
    assert_eq!(record.items[1].is_competitor, Some(true));
    assert_eq!(record.items[4].is_competitor, Some(false));
}

#[test]
fn an_own_overview_citation_has_its_index() {
    let mut page = page(&[Feature::AiOverview], &urls("ab"));
    let cite = |url: &str| PageLink {
        title: String::new(),
        url: url.into(),
    };
    page.ai_overview = Some(AiOverview {
        present: true,
        absolute_position: Some(1),
        text: Some("Shoes.".into()),
        citations: vec![
            cite("https://a.example.net/"),
            cite("https://www.acme.com/guide"),
        ],
    });
    let overview = snapshot_of(&page, None).ai_overview.unwrap();
    assert!(overview.own_cited);
    assert_eq!(
        (overview.own_citation_index, overview.citations[1].index),
        (Some(2), 2)
    );
}

#[test]
fn difficulty_of_one_page_has_parts_but_no_score() {
    let record = snapshot_of(
        &page(&[Feature::Shopping, Feature::PaidTop], &urls("abcdefghij")),
        None,
    );
    let difficulty = record.difficulty.unwrap();
    assert_eq!(difficulty.score, None);
    assert_eq!(
        (
            difficulty.components.home_pages,
            difficulty.components.title_matches
        ),
        (Some(1.0), Some(1.0))
    );
    assert_eq!(difficulty.components.feature_pressure, Some(0.5));
    assert!(
        record
            .envelope
            .warnings
            .contains(&"difficultyIncomplete".to_owned())
    );
}

#[test]
fn questions_are_listed_once() {
    let mut page = page(&[], &urls("abcdef"));
    let link = |title: &str| PageLink {
        title: title.into(),
        url: "https://a.example.net/".into(),
    };
    for titles in [["Which shoes?", " "], ["Why run?", "Which shoes? "]] {
        let content = BlockContent::Feature(FeatureBlock {
            feature: Feature::PeopleAlsoAsk,
            title: None,
            text: None,
            links: titles.into_iter().map(link).collect(),
        });
        page.blocks.push(block(50, content));
    }
    let record = snapshot_of(&page, None);
    assert_eq!(record.questions, ["Which shoes?", "Why run?"]);
    assert_eq!(record.items.last().unwrap().organic_position, None);
    let mut tally = SerpTally::default();
    tally.add(&record);
    tally.add(&record);
    let summary = tally.finish(2);
    assert_eq!(summary.questions, 2);
    assert_eq!(
        (summary.page_types[0].page_type, summary.page_types[0].count),
        (PageType::Home, 12)
    );
}

#[test]
fn new_and_lost_domains_are_reported() {
    let page_of = |hosts: &[&str]| -> Vec<String> {
        hosts
            .iter()
            .map(|host| format!("https://{host}/x"))
            .collect()
    };
    let before = page(
        &[],
        &page_of(&["a.acme.com", "b.org", "c.co.uk", "www.d.net", "e.net"]),
    );
    let now = page(
        &[],
        &page_of(&["www.acme.com", "f.org", "c.co.uk", "d.net", "e.net"]),
    );
    let record = snapshot_of(&now, Some(&PreviousSerp::of_page(&before)));
    let stability = record.stability.as_ref().unwrap();
    assert_eq!(
        (
            stability.new_domains.as_slice(),
            stability.lost_domains.as_slice()
        ),
        (&["f.org".to_owned()][..], &["b.org".to_owned()][..])
    );
    let mut tally = SerpTally::default();
    tally.add(&record);
    assert_eq!(tally.finish(1).new_domains[0].domain, "f.org");
}

#[test]
fn a_page_with_few_results_is_partial() {
    let record = snapshot_of(&page(&[Feature::Images], &urls("abcd")), None);
    assert_eq!(record.envelope.status, RecordStatus::Partial);
    assert!(record.envelope.warnings.contains(&"fewResults".to_owned()));
}

#[test]
fn difficulty_needs_prominence_and_a_month_of_history() {
    use crate::ctr::ClickCurve;
    use crate::search_panel::{Panel, PanelPage, tests};
    use crate::url_rules::OwnSites;
    let own = OwnSites::of(SiteScope::of("acme.com"));
    let page = page(&[Feature::Shopping, Feature::PaidTop], &urls("abcdefghij"));
    let mut panel = Panel::new(&own, ClickCurve::published(), at());
    for id in 0..10 {
        let seen = PanelPage::of_page(&page, None, &own).unwrap();
        panel.add(tests::topic(id, None), &seen);
    }
    let month_ago = PreviousSerp::of_page(&page);
    let mut record = snapshot(&SerpInput {
        keyword: &keyword(),
        site: &SiteScope::of("acme.com"),
        measurement: Measurement::Seen(&page),
        competitors: None,
        previous: None,
        month_ago: Some(&month_ago),
        prominence: None,
    });
    assert_eq!(record.difficulty.as_ref().unwrap().score, None);
    record.complete_difficulty(&panel.prominence());
    // All ten results are of one domain that is on every page: .35 + .20 + .20 + .15 · .5 + .10.
    let difficulty = record.difficulty.as_mut().unwrap();
    assert!(
        (difficulty.score.unwrap() - 92.5).abs() < 1e-9,
        "{difficulty:?}"
    );
    assert!(record.envelope.warnings.is_empty());
    difficulty.set_from_links(&[0, 50, 50, 50, 50, 50, 50, 50, 50, 90_000]);
    assert_eq!(difficulty.basis, DifficultyBasis::Links);
    assert!((difficulty.score.unwrap() - 56.910_8).abs() < 5e-5);
}

#[test]
fn a_stored_record_serves_as_the_previous_one() {
    let page = page(&[Feature::Images], &urls("abcdef"));
    let record = snapshot_of(&page, None);
    let json = serde_json::to_value(&record).unwrap();
    for field in [
        "type",
        "snapshotId",
        "fetchedAt",
        "totalResultsEstimate",
        "organicCount",
        "items",
        "features",
        "aiOverview",
        "stability",
        "intent",
        "difficulty",
        "pixelOffset",
        "keyword",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!(
        (&json["items"][0]["type"], &json["items"][1]["type"]),
        (&"images".into(), &"organic".into())
    );
    let back: SerpRecord = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), json);
    assert_eq!(PreviousSerp::of(&back), Some(PreviousSerp::of_page(&page)));
}

#[test]
fn the_summary_takes_the_median_and_counts_pages() {
    let still = page(&[Feature::Images], &urls("abcdefghij"));
    let mut tally = SerpTally::default();
    for names in ["abcdefghij", "bacedfgkhl", "klmnopqrst"] {
        let before = PreviousSerp::of_page(&page(&[], &urls(names)));
        tally.add(&snapshot_of(&still, Some(&before)));
    }
    let summary = tally.finish(4);
    assert!((summary.volatility.unwrap() - 2.064_708).abs() < 1e-5);
    assert_eq!(
        (summary.coverage.measured, summary.coverage.skipped),
        (3, 1)
    );
    assert_eq!(
        (summary.features[0].feature, summary.features[0].pages),
        (Feature::Images, 3)
    );
    assert_eq!(
        (summary.ai_overview_known, summary.ai_overview_present),
        (3, 0)
    );
}

proptest! {
    #[test]
    fn new_and_lost_urls_swap_with_the_direction(one in "[a-z]{0,25}", other in "[a-z]{0,25}") {
        let (one, other) = (page(&[Feature::Images], &urls(&one)), page(&[Feature::Images], &urls(&other)));
        let there = snapshot_of(&one, Some(&PreviousSerp::of_page(&other))).stability.unwrap();
        let back = snapshot_of(&other, Some(&PreviousSerp::of_page(&one))).stability.unwrap();
        prop_assert_eq!(there.new_urls, back.lost_urls);
        prop_assert_eq!(there.rbo_with_previous, back.rbo_with_previous);
        prop_assert!((there.overlap_top10 - back.overlap_top10).abs() < 1e-12);
    }
}
