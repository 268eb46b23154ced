mod pages;
mod sites;

use super::*;
use crate::findings::sample_pages::{
    add_item, add_nested_item, link, page, paragraphs, schema_item, set_title,
};
use crate::observation::page_content::{Author, BlockKind, FactSource, SourcedText};
use crate::observation::web_site::{CrawlScope, LinkTarget, Placement, Truncation};
use crate::text::language::Language;
use chrono::DateTime;
use proptest::prelude::*;

fn context() -> FindingContext {
    FindingContext {
        project_id: 7,
        measured_at: DateTime::UNIX_EPOCH,
    }
}

fn empty_site() -> SiteSignals {
    SiteSignals::new(CrawlScope::from_host("example.com"))
}

fn evaluated(page: &PageContent, page_type: PageType, site: &SiteSignals) -> EeatRecord {
    let input = EeatInput {
        page,
        page_type,
        site,
        third_party_mentions: None,
    };
    evaluate_page(&input, &context())
}

fn article(page: &PageContent) -> EeatRecord {
    evaluated(page, PageType::Article, &empty_site())
}

fn signal(record: &EeatRecord, code: SignalCode) -> &Signal {
    record.signals.iter().find(|it| it.code == code).unwrap()
}

fn value(record: &EeatRecord, code: SignalCode) -> Option<f64> {
    signal(record, code).value
}

fn written_by(page: &mut PageContent, name: &str, url: Option<&str>) {
    page.metadata.authors.push(Author {
        name: name.to_owned(),
        url: url.map(str::to_owned),
        source: FactSource::JsonLd,
    });
}

#[test]
fn a_truncated_page_reports_only_present_signals() {
    let mut page = paragraphs(&["Some text."]);
    written_by(&mut page, "Jane Doe", None);
    let whole = article(&page);
    assert_eq!(value(&whole, SignalCode::AuthorPage), Some(0.0));
    page.fetched.truncation = Truncation::AtLimit;
    let record = article(&page);
    assert_eq!(value(&record, SignalCode::Byline), Some(1.0));
    let mut signals = record.signals.iter();
    let is_open = |it: &Signal| it.value.is_none_or(|it| it >= 1.0);
    assert!(signals.all(|it| it.scope == SignalScope::Site || is_open(it)));
    assert_eq!(
        (record.eeat_score, record.pillars),
        (None, PillarScores::default())
    );
    assert_eq!(record.ymyl.is_ymyl, None);
    assert!(record.envelope.warnings.contains(&"bodyCut".to_owned()));
    // The truncated page does not change the mean.
    let mut averages = PageAverages::default();
    averages.add(&whole);
    let alone = averages.outcome(SignalCode::Byline).value;
    averages.add(&record);
    assert_eq!(averages.outcome(SignalCode::Byline).value, alone);
    assert_eq!(averages.mean_score(), whole.eeat_score);
}

const MEDICAL: &str =
    "The symptoms of the disease are treated by medication. Ask a physician about the dosage.";

#[test]
fn records_name_their_basis_and_round_trip() {
    let record = article(&paragraphs(&["Some text."]));
    let written = serde_json::to_value(&record).unwrap();
    assert_eq!(written["type"], "eeat");
    assert_eq!(written["methodVersion"], "eeat/2");
    assert_eq!(written["weightsBasis"], "judgement");
    assert_eq!(written["signals"].as_array().unwrap().len(), 26);
    let read: EeatRecord = serde_json::from_value(written).unwrap();
    assert_eq!(read.missing, record.missing);
}

#[test]
fn unknown_signals_do_not_count() {
    let record = article(&paragraphs(&["Some text."]));
    for it in &record.signals {
        assert_eq!(it.applicable, it.value.is_some(), "{:?}", it.code);
    }
    for code in [
        SignalCode::ThirdPartyMentions,
        SignalCode::Reviewer,
        SignalCode::ShopInfo,
        SignalCode::Disclosure,
        SignalCode::DateConsistency,
        SignalCode::OriginalImages,
        SignalCode::DatedReviews,
    ] {
        assert!(!signal(&record, code).applicable, "{code:?}");
    }
}

#[test]
fn phrase_signals_need_a_phrase_list() {
    let mut page = paragraphs(&["Мы сами всё проверили."]);
    let codes = [
        SignalCode::FirstPerson,
        SignalCode::TestMethod,
        SignalCode::OwnData,
    ];
    let values = |page: &PageContent| codes.map(|it| value(&article(page), it));
    assert_eq!(values(&page), [Some(0.0); 3]);
    page.text.language = Some(Language::Russian);
    assert_eq!(values(&page), [None; 3]);
    page.text.language = None;
    assert_eq!(values(&page), [None; 3]);
}

#[test]
fn ymyl_without_author_or_contact_scores_at_most_49() {
    let mut site = empty_site();
    let (home, contact) = sites::home_and_contact();
    site.add(&home);
    site.add(&contact);
    let mut page = paragraphs(&[MEDICAL]);
    let record = evaluated(&page, PageType::Article, &site);
    assert_eq!(record.ymyl.is_ymyl, Some(true));
    assert!(value(&record, SignalCode::Reviewer).is_some());
    assert!(record.eeat_score.unwrap() <= 49.0);
    // With everything else right, the missing author alone caps the score.
    page.links = vec![
        link("https://www.nih.gov/a", "a"),
        link("https://www.who.int/b", "b"),
    ];
    let plain = evaluated(&paragraphs(&["Some text."]), PageType::Other, &site);
    assert!(!plain.capped);
    written_by(&mut page, "Jane Doe, MD", Some("https://example.com/jane"));
    let with = evaluated(&page, PageType::Article, &site);
    assert!(!with.capped);
    let without_contact = evaluated(&page, PageType::Article, &empty_site());
    assert!(without_contact.eeat_score.unwrap() <= 49.0);
}

#[test]
fn trust_weighs_more_on_ymyl_pages() {
    let (home, contact) = sites::home_and_contact();
    let mut site = empty_site();
    site.add(&home);
    site.add(&contact);
    let expected = |record: &EeatRecord, trust: f64| {
        let known = record.signals.iter().filter_map(|it| Some((it, it.value?)));
        let (sum, weights) = known.fold((0.0, 0.0), |(sum, all), (it, value)| {
            let weight = it.weight
                * if it.pillar == Pillar::Trust {
                    trust
                } else {
                    1.0
                };
            (sum + weight * value, all + weight)
        });
        100.0 * sum / weights
    };
    let mut medical = paragraphs(&[MEDICAL]);
    written_by(&mut medical, "Jane Doe", None);
    let record = evaluated(&medical, PageType::Article, &site);
    assert!((record.eeat_score.unwrap() - expected(&record, 1.25)).abs() < 1e-9);
    let mut plain = paragraphs(&["Some text."]);
    written_by(&mut plain, "Jane Doe", None);
    let record = evaluated(&plain, PageType::Article, &site);
    assert!((record.eeat_score.unwrap() - expected(&record, 1.0)).abs() < 1e-9);
}

proptest! {
    #[test]
    fn any_text_can_be_evaluated(texts in prop::collection::vec("\\PC{0,80}", 0..5), kind in 0..3_u8) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let page = paragraphs(&texts);
        let mut site = empty_site();
        site.add(&page);
        let page_type = [PageType::Article, PageType::Product, PageType::Other][usize::from(kind)];
        let record = evaluated(&page, page_type, &site);
        prop_assert!(record.eeat_score.is_none_or(|it| (0.0..=100.0).contains(&it)));
        for it in &record.signals {
            prop_assert!(it.value.is_none_or(|it| (0.0..=1.0).contains(&it)));
            prop_assert!((0.0..=1.0).contains(&it.confidence));
        }
    }

    #[test]
    fn more_evidence_never_lowers_the_score(sources in 0..4_usize, named in any::<bool>(), tested in any::<bool>()) {
        let build = |sources: usize, named: bool, tested: bool| {
            let mut page = paragraphs(&["Some text.", if tested { "We tested it ourselves." } else { "It was there." }]);
            for at in 0..sources {
                page.links.push(link(&format!("https://www.nih.gov/{at}"), "study"));
            }
            if named {
                written_by(&mut page, "Jane Doe", Some("https://example.com/jane"));
            }
            article(&page).eeat_score.unwrap()
        };
        let score = build(sources, named, tested);
        prop_assert!(build(sources + 1, named, tested) >= score);
        prop_assert!(build(sources, true, tested) >= score);
        prop_assert!(build(sources, named, true) >= score);
    }
}
