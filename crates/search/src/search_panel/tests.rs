//! Panels, and small panels for tests of findings.

use super::*;
use crate::findings::keyword_market::{Measurement, TrackedKeyword};
use crate::findings::serp::{SerpInput, snapshot};
use crate::observation::search_page::{
    AiOverview, Block, BlockContent, Device, FeatureBlock, FeatureCoverage, OrganicResult,
    PageLink, SearchPage,
};
use crate::url_rules::SiteScope;
use proptest::prelude::*;

pub(crate) const OWN_URL: &str = "https://www.acme.com/shoes";

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

pub(crate) fn own_sites() -> OwnSites {
    OwnSites::of(SiteScope::of("acme.com"))
}

pub(crate) fn topic(keyword_id: i64, search_volume: Option<u64>) -> PanelTopic {
    PanelTopic {
        keyword_id,
        keyword: format!("keyword {keyword_id}"),
        search_volume,
        ..Default::default()
    }
}

/// A page with these URLs, best first.
pub(crate) fn page(urls: &[String]) -> SearchPage {
    let organic = (1..).zip(urls).map(|(position, url)| Block {
        absolute_position: Some(position),
        page: position.div_ceil(10),
        content: BlockContent::Organic(OrganicResult {
            position,
            url: url.clone(),
            title: format!("result {position}"),
            ..Default::default()
        }),
    });
    SearchPage {
        engine: "google".into(),
        provider: "web search".into(),
        provenance: Provenance::Measured,
        fetched_at: now(),
        calls: 1,
        total_results_estimate: None,
        feature_coverage: FeatureCoverage::Partial,
        blocks: organic.collect(),
        ai_overview: None,
        related: Vec::new(),
        warnings: Vec::new(),
    }
}

/// A URL per letter: `o` is the project's, each other letter is another site.
pub(crate) fn urls(letters: &str) -> Vec<String> {
    letters
        .char_indices()
        .map(|(at, letter)| match letter {
            'o' => format!("{OWN_URL}/{at}"),
            other => format!("https://www.{other}-site.com/{at}"),
        })
        .collect()
}

/// A panel of keywords with volumes and pages by letters.
pub(crate) fn panel<'a>(own: &'a OwnSites, keywords: &[(Option<u64>, &str)]) -> Panel<'a> {
    let mut panel = Panel::new(own, ClickCurve::published(), now());
    for (id, (volume, letters)) in (1..).zip(keywords) {
        let page = page(&urls(letters));
        match PanelPage::of_page(&page, None, own) {
            Some(seen) => panel.add(topic(id, *volume), &seen),
            None => panel.add_missing(topic(id, *volume)),
        }
    }
    panel
}

fn feature(feature: Feature, url: &str) -> Block {
    Block {
        absolute_position: None,
        page: 1,
        content: BlockContent::Feature(FeatureBlock {
            feature,
            title: None,
            text: None,
            links: vec![PageLink {
                title: "Which shoes?".into(),
                url: url.into(),
            }],
        }),
    }
}

#[test]
fn several_urls_of_a_domain_add_up_and_the_best_is_its_position() {
    let own = own_sites();
    let panel = panel(&own, &[(None, "aobao")]);
    let keyword = &panel.keywords()[0];
    let of = |name: &str| {
        let domain = panel.domain(name).unwrap();
        let standings = panel.standings(keyword);
        *standings.iter().find(|it| it.domain == domain).unwrap()
    };
    let a = of("a-site.com");
    assert_eq!(a.position, 1);
    assert!((a.share - (0.285 + 0.080)).abs() < 1e-12);
    let ours = panel.standings(keyword).iter().find(|it| it.domain == OWN);
    assert!((ours.unwrap().share - (0.157 + 0.072)).abs() < 1e-12);
    assert_eq!(panel.name(OWN), "acme.com");
}

#[test]
fn a_page_that_is_listed_twice_counts_once() {
    let own = own_sites();
    let mut listed = urls("ab");
    listed.push("http://a-site.com/0#again".into());
    let seen = page(&listed);
    let mut panel = Panel::new(&own, ClickCurve::published(), now());
    let seen = PanelPage::of_page(&seen, None, &own).unwrap();
    panel.add(topic(1, None), &seen);
    let shares: Vec<f64> = panel
        .standings(&panel.keywords()[0])
        .iter()
        .map(|it| it.share)
        .collect();
    assert_eq!(shares, [0.285, 0.157]);
}

#[test]
fn old_and_blocked_pages_count_as_missing() {
    let own = own_sites();
    let mut panel = panel(&own, &[(None, "ab"), (None, "")]);
    let mut old = page(&urls("ab"));
    old.fetched_at = now() - TimeDelta::days(7) - TimeDelta::seconds(1);
    panel.add(
        topic(3, None),
        &PanelPage::of_page(&old, None, &own).unwrap(),
    );
    assert_eq!((panel.keywords().len(), panel.missing().len()), (1, 2));
}

#[test]
fn one_simulated_page_makes_the_panel_simulated() {
    let own = own_sites();
    let mut panel = panel(&own, &[(None, "ab")]);
    assert_eq!(panel.provenance(), Provenance::Estimated);
    let mut simulated = page(&urls("ab"));
    simulated.provenance = Provenance::Simulated;
    panel.add(
        topic(2, None),
        &PanelPage::of_page(&simulated, None, &own).unwrap(),
    );
    assert_eq!(panel.provenance(), Provenance::Simulated);
}

#[test]
fn a_record_gives_the_same_panel_page_as_its_page() {
    let own = own_sites();
    let mut seen = page(&urls("abcodefo"));
    seen.feature_coverage = FeatureCoverage::Complete;
    seen.blocks
        .insert(0, feature(Feature::FeaturedSnippet, OWN_URL));
    seen.blocks
        .push(feature(Feature::PeopleAlsoAsk, "https://b-site.com/"));
    seen.ai_overview = Some(AiOverview {
        present: true,
        citations: vec![PageLink {
            title: String::new(),
            url: "https://c-site.com/x".into(),
        }],
        ..AiOverview::absent()
    });
    let keyword = TrackedKeyword {
        project_id: 1,
        keyword_id: 1,
        keyword: "shoes".into(),
        country: "us".into(),
        location: None,
        language: "en".into(),
        device: Device::Desktop,
        search_volume: Some(10),
    };
    let record = snapshot(&SerpInput {
        keyword: &keyword,
        site: own.site(),
        measurement: Measurement::Seen(&seen),
        competitors: None,
        previous: None,
        month_ago: None,
        prominence: None,
    });
    let direct = {
        let mut panel = Panel::new(&own, ClickCurve::published(), now());
        let seen = PanelPage::of_page(&seen, record.intent, &own).unwrap();
        panel.add(topic(1, Some(10)), &seen);
        panel
    };
    let mut from_record = Panel::new(&own, ClickCurve::published(), now());
    from_record.add(topic(1, Some(10)), &PanelPage::of_record(&record).unwrap());
    assert_eq!(
        direct.standings(&direct.keywords()[0]),
        from_record.standings(&from_record.keywords()[0])
    );
    assert_eq!(direct.features(), from_record.features());
    assert_eq!(direct.overviews(), from_record.overviews());
    assert_eq!(direct.features()[&Feature::FeaturedSnippet].own, 1);
    assert_eq!(direct.overviews().citing.len(), 1);
}

#[test]
fn prominence_measures_how_often_domains_appear() {
    let own = own_sites();
    let keywords: Vec<(Option<u64>, &str)> =
        ["ab", "ac", "ad", "ae", "af", "ag", "ah", "ai", "aj", "ak"]
            .iter()
            .map(|letters| (None, *letters))
            .collect();
    let prominence = panel(&own, &keywords).prominence();
    let of = |url: &str| prominence.of(std::iter::once(url)).unwrap();
    assert!((of("https://a-site.com/x") - 1.0).abs() < 1e-12);
    let rare = 2.0_f64.ln() / 11.0_f64.ln();
    assert!((of("https://b-site.com/") - rare).abs() < 1e-12);
    assert!((of("https://never-seen.com/") - rare).abs() < 1e-12);
    assert_eq!(prominence.of(std::iter::empty()), None);
    let few = panel(&own, &keywords[..9]).prominence();
    assert_eq!(few.of(std::iter::once("https://a-site.com/")), None);
}

proptest! {
    #[test]
    fn each_domain_has_one_standing_in_order(letters in "[a-fo]{1,40}") {
        let own = own_sites();
        let panel = panel(&own, &[(None, &letters)]);
        let standings = panel.standings(&panel.keywords()[0]);
        prop_assert!(standings.windows(2).all(|pair| pair[0].domain < pair[1].domain));
        prop_assert!(standings.iter().all(|it| (0.0..=crate::ctr::MAX_CTR).contains(&it.share)));
        let different: std::collections::BTreeSet<char> = letters.chars().collect();
        prop_assert_eq!(standings.len(), different.len());
    }
}
