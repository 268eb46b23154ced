//! Published examples, and properties of shares.

use super::*;
use crate::ctr::{ClickCurve, PositionClicks};
use crate::observation::search_page::{Feature, FeatureCoverage};
use crate::provenance::{Provenance, RecordStatus};
use crate::search_panel::tests::{now, own_sites, page, panel, topic, urls};
use crate::search_panel::{Panel, PanelPage};
use crate::url_rules::OwnSites;
use proptest::prelude::*;

fn tracked(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|it| (*it).to_owned()).collect()
}

fn records_of(panel: &Panel<'_>, tracked: &BTreeSet<String>) -> Vec<SovRecord> {
    shares(
        panel,
        &SovContext {
            project_id: 1,
            tracked,
            week_ago: None,
            month_ago: None,
            provider: Some("web search"),
        },
    )
}

fn whole(panel: &Panel<'_>) -> SovRecord {
    records_of(panel, &BTreeSet::new()).swap_remove(0)
}

/// A curve with these rates from position 1 on; the last one continues to position 10.
fn curve(rates: &[u64]) -> ClickCurve {
    let rate = |index: usize| rates[index.min(rates.len() - 1)];
    let rows: Vec<PositionClicks> = (1..=10)
        .map(|position| PositionClicks {
            position,
            impressions: 10_000,
            clicks: rate(position as usize - 1),
        })
        .collect();
    ClickCurve::measured("example", &rows).unwrap()
}

fn panel_on<'a>(own: &'a OwnSites, curve: &'a ClickCurve, keywords: &[(u64, &str)]) -> Panel<'a> {
    let mut panel = Panel::new(own, curve, now());
    for (id, (volume, letters)) in (1..).zip(keywords) {
        let seen = page(&urls(letters));
        let seen = PanelPage::of_page(&seen, None, own).unwrap();
        panel.add(topic(id, Some(*volume)), &seen);
    }
    panel
}

fn close(found: Option<f64>, golden: f64) {
    let found = found.unwrap();
    assert!((found - golden).abs() < 5e-8, "{found} is not {golden}");
}

/// STAT: 100 searches at 20 % and 10,000 at 5 % are 520 clicks of 10,100 searches.
#[test]
fn the_example_of_stat_is_met() {
    let (own, curve) = (own_sites(), curve(&[2_000, 500]));
    let record = whole(&panel_on(
        &own,
        &curve,
        &[(100, "oabcd"), (10_000, "aobcd")],
    ));
    close(record.estimated_clicks, 520.0);
    close(record.share_of_search, 520.0 / 10_100.0);
    assert!((record.share_of_search.unwrap() - 0.051_485_1).abs() < 5e-8);
    assert_eq!(record.universe.share_of_search, "searchVolume");
}

/// Authoritas: 514 clicks are a share of search of 514/1800 and a share of visibility of 514/990.
#[test]
fn the_example_of_authoritas_is_met() {
    let (own, curve) = (own_sites(), curve(&[3_450, 3_000, 2_675, 2_000]));
    // The other positions of these pages are empty.
    let mut panel = Panel::new(&own, &curve, now());
    for (id, (volume, letters)) in (1..).zip([(1_000, "xoxa"), (800, "axo")]) {
        let mut seen = page(&urls(letters));
        seen.blocks.retain(|block| {
            let crate::observation::search_page::BlockContent::Organic(result) = &block.content
            else {
                return false;
            };
            !result.url.contains("x-site")
        });
        let seen = PanelPage::of_page(&seen, None, &own).unwrap();
        panel.add(topic(id, Some(volume)), &seen);
    }
    let record = records_of(&panel, &tracked(&["a-site.com"])).swap_remove(0);
    close(record.estimated_clicks, 514.0);
    close(record.total_estimated_clicks, 990.0);
    assert!((record.share_of_search.unwrap() - 0.285_6).abs() < 5e-5);
    assert!((record.sov.unwrap() - 0.519_2).abs() < 5e-5);
    close(record.sov_tracked, 514.0 / 990.0);
}

#[test]
fn the_denominator_includes_untracked_domains() {
    let own = own_sites();
    let panel = panel(&own, &[(Some(10), "oab"), (Some(10), "abo")]);
    let alone = records_of(&panel, &BTreeSet::new()).swap_remove(0);
    let followed = records_of(&panel, &tracked(&["b-site.com", "nowhere.com"])).swap_remove(0);
    assert_eq!(alone.sov, followed.sov);
    assert_eq!(alone.sov_tracked, None);
    let ours = 0.285 + 0.110;
    close(followed.sov_tracked, ours / (ours + 0.110 + 0.157));
    let b = followed
        .domains
        .iter()
        .find(|it| it.domain == "b-site.com")
        .unwrap();
    assert!(b.is_tracked && !b.is_own);
    assert_eq!((b.keywords_top3, b.average_position), (2, Some(2.5)));
}

#[test]
fn a_missing_volume_means_equal_weights_and_no_clicks() {
    let own = own_sites();
    let record = whole(&panel(&own, &[(Some(1_000_000), "oab"), (None, "abo")]));
    assert_eq!(record.weighting, Weighting::Equal);
    assert_eq!(
        (record.estimated_clicks, record.total_estimated_clicks),
        (None, None)
    );
    assert_eq!(record.universe.share_of_search, "keywords");
    close(record.share_of_search, f64::midpoint(0.285, 0.110));
    let zero = whole(&panel(&own, &[(Some(0), "oab")]));
    assert_eq!(
        (zero.weighting, zero.sov.is_some()),
        (Weighting::Equal, true)
    );
}

#[test]
fn up_to_a_tenth_of_keywords_may_be_missing() {
    let own = own_sites();
    let mut keywords = vec![(None, "oab"); 9];
    keywords.push((None, ""));
    let record = whole(&panel(&own, &keywords));
    assert_eq!((record.keyword_count, record.missing_keywords), (9, 1));
    assert_eq!(record.envelope.status, RecordStatus::Ok);
    keywords.push((None, ""));
    let record = whole(&panel(&own, &keywords));
    assert_eq!(record.envelope.status, RecordStatus::Partial);
    assert_eq!(record.envelope.warnings, ["keywordsMissing"]);
    let nothing = whole(&panel(&own, &[(None, "")]));
    assert_eq!(nothing.envelope.status, RecordStatus::InsufficientData);
    assert_eq!(
        (nothing.sov, nothing.share_of_search, nothing.rank),
        (None, None, None)
    );
}

#[test]
fn an_unranked_site_has_share_zero_and_no_rank() {
    let own = own_sites();
    let record = whole(&panel(&own, &[(Some(5), "ab")]));
    assert_eq!((record.sov, record.rank), (Some(0.0), None));
    assert_eq!(record.envelope.warnings, ["ownNotSeen"]);
    assert_eq!(record.envelope.provenance, Provenance::Estimated);
}

#[test]
fn tags_intents_and_page_groups_have_records_of_their_own() {
    let own = own_sites();
    let mut panel = Panel::new(&own, ClickCurve::published(), now());
    let seen = page(&urls("oab"));
    let wanted = PanelPage::of_page(&seen, Some(Intent::Commercial), &own).unwrap();
    let mut tagged = topic(1, Some(5));
    tagged.tags = vec!["shoes".into(), "shoes".into(), "spring".into()];
    tagged.page_group = Some("/shop".into());
    panel.add(tagged.clone(), &wanted);
    panel.add(
        topic(2, Some(7)),
        &PanelPage::of_page(&seen, None, &own).unwrap(),
    );
    tagged.keyword_id = 3;
    panel.add_missing(tagged);
    let records = records_of(&panel, &BTreeSet::new());
    let scopes: Vec<_> = records
        .iter()
        .map(|it| (it.scope.clone(), it.keyword_count, it.missing_keywords))
        .collect();
    assert_eq!(
        scopes,
        [
            (SovScope::Project, 2, 1),
            (SovScope::Tag("shoes".into()), 1, 1),
            (SovScope::Tag("spring".into()), 1, 1),
            (SovScope::Intent(Intent::Commercial), 1, 0),
            (SovScope::PageGroup("/shop".into()), 1, 1),
        ]
    );
    let json = serde_json::to_value(&records[3]).unwrap();
    assert_eq!(
        (&json["scope"], &json["scopeValue"]),
        (&"intent".into(), &"commercial".into())
    );
    let summary = SovSummary::of(&records).unwrap();
    assert_eq!((summary.scopes, summary.coverage.requested), (5, 3));
}

fn since(panel: &Panel<'_>, earlier: &EarlierPages) -> SovRecord {
    let context = SovContext {
        project_id: 1,
        tracked: &BTreeSet::new(),
        week_ago: Some(earlier),
        month_ago: None,
        provider: None,
    };
    shares(panel, &context).swap_remove(0)
}

#[test]
fn added_keywords_do_not_change_the_share() {
    let own = own_sites();
    let before = EarlierPages::of(&panel(&own, &[(Some(10), "aob"), (Some(10), "abo")]));
    let grown = panel(
        &own,
        &[(Some(10), "aob"), (Some(10), "abo"), (Some(900), "oab")],
    );
    let record = since(&grown, &before);
    assert_eq!((record.change7_keywords, record.change30), (Some(2), None));
    assert!(record.change7.unwrap().abs() < 1e-6, "{:?}", record.change7);
    // The share itself covers all current keywords.
    assert!(record.sov.unwrap() > 0.45);
}

#[test]
fn changes_cover_keywords_measured_at_both_ends() {
    let own = own_sites();
    let before = EarlierPages::of(&panel(&own, &[(Some(10), "aob"), (Some(10), "abo")]));
    let record = since(&panel(&own, &[(Some(10), "oab")]), &before);
    let whole = 0.285 + 0.157 + 0.110;
    assert!((record.change7.unwrap() - (0.285 - 0.157) / whole).abs() < 1e-5);
    assert_eq!(record.change7_keywords, Some(1));
    assert_eq!(record.change7_since, Some(before.measured_at));
}

#[test]
fn another_click_curve_is_not_compared() {
    let own = own_sites();
    let now = panel(&own, &[(Some(10), "oab")]);
    let mut before = EarlierPages::of(&now);
    assert!(since(&now, &before).change7.is_some());
    before.ctr_model = "own-1".into();
    let record = since(&now, &before);
    assert_eq!((record.change7, record.change7_keywords), (None, None));
}

#[test]
fn feature_shares_count_pages_with_the_feature() {
    let own = own_sites();
    let mut panel = Panel::new(&own, ClickCurve::published(), now());
    for (id, url) in [(1, "https://acme.com/x"), (2, "https://b.com/")] {
        let mut seen = page(&urls("oab"));
        seen.feature_coverage = FeatureCoverage::Complete;
        let link = crate::observation::search_page::PageLink {
            title: String::new(),
            url: url.into(),
        };
        seen.blocks.push(crate::observation::search_page::Block {
            absolute_position: None,
            page: 1,
            content: crate::observation::search_page::BlockContent::Feature(
                crate::observation::search_page::FeatureBlock {
                    feature: Feature::LocalPack,
                    title: None,
                    text: None,
                    links: vec![link],
                },
            ),
        });
        panel.add(
            topic(id, None),
            &PanelPage::of_page(&seen, None, &own).unwrap(),
        );
    }
    let record = whole(&panel);
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!(json["features"], serde_json::json!({"local_pack": 0.5}));
    let back: SovRecord = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), json);
}

fn keywords() -> impl Strategy<Value = Vec<(u64, String)>> {
    proptest::collection::vec((1_u64..5_000, "[a-ko]{1,30}"), 1..10)
}

fn of(keywords: &[(u64, String)], scale: u64) -> SovRecord {
    let own = own_sites();
    let keywords: Vec<(Option<u64>, &str)> = keywords
        .iter()
        .map(|(volume, letters)| (Some(volume * scale), letters.as_str()))
        .collect();
    whole(&panel(&own, &keywords))
}

proptest! {
    #[test]
    fn shares_add_up_to_one(keywords in keywords()) {
        let record = of(&keywords, 1);
        let sum: f64 = record.domains.iter().map(|it| it.sov).sum::<f64>() + record.others_sov;
        prop_assert!((sum - 1.0).abs() <= 1e-9, "{sum}");
        prop_assert!(record.domains.iter().all(|it| (0.0..=1.0).contains(&it.sov)));
        let hhi = record.concentration_hhi.unwrap();
        prop_assert!((record.effective_competitors.unwrap() * hhi - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_unit_of_volumes_does_not_matter(keywords in keywords(), scale in 2_u64..1000) {
        let (one, other) = (of(&keywords, 1), of(&keywords, scale));
        prop_assert!((one.sov.unwrap() - other.sov.unwrap()).abs() < 1e-12);
        prop_assert!((one.share_of_search.unwrap() - other.share_of_search.unwrap()).abs() < 1e-12);
    }

    #[test]
    fn a_keyword_without_own_ranking_never_raises_the_share(
        keywords in keywords(), volume in 1_u64..5_000, letters in "[a-k]{1,30}"
    ) {
        let before = of(&keywords, 1);
        let mut more = keywords;
        more.push((volume, letters));
        let after = of(&more, 1);
        prop_assert!(after.sov.unwrap() <= before.sov.unwrap() + 1e-12);
        prop_assert!(after.share_of_search.unwrap() <= before.share_of_search.unwrap() + 1e-12);
    }

    #[test]
    fn the_order_of_keywords_does_not_matter(keywords in keywords()) {
        let mut turned = keywords.clone();
        turned.reverse();
        let (one, other) = (of(&keywords, 1), of(&turned, 1));
        prop_assert!((one.sov.unwrap() - other.sov.unwrap()).abs() < 1e-12);
        prop_assert_eq!(one.rank, other.rank);
    }
}
