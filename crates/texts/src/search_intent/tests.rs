//! Intent of keywords and pages, in every language with a word list.

use super::*;
use crate::observation::search_page::{
    Block, BlockContent, FeatureBlock, FeatureCoverage, OrganicResult, PageLink,
};
use crate::provenance::Provenance;

fn page(features: &[(Feature, usize)], results: &[(&str, &str)]) -> SearchPage {
    let link = || PageLink {
        title: String::new(),
        url: "https://a.example/".into(),
    };
    let features = features.iter().map(|(feature, links)| {
        BlockContent::Feature(FeatureBlock {
            feature: *feature,
            title: None,
            text: None,
            links: (0..*links).map(|_| link()).collect(),
        })
    });
    let results = results.iter().zip(1..).map(|((url, title), position)| {
        BlockContent::Organic(OrganicResult {
            position,
            url: (*url).to_owned(),
            title: (*title).to_owned(),
            ..Default::default()
        })
    });
    let blocks = features.chain(results);
    SearchPage {
        engine: "google".into(),
        provider: "web search".into(),
        provenance: Provenance::Measured,
        fetched_at: chrono::DateTime::UNIX_EPOCH,
        calls: 1,
        total_results_estimate: None,
        feature_coverage: FeatureCoverage::Partial,
        blocks: blocks
            .map(|content| Block {
                absolute_position: None,
                page: 1,
                content,
            })
            .collect(),
        ai_overview: None,
        related: Vec::new(),
        warnings: Vec::new(),
    }
}

#[test]
fn the_first_results_name_makes_a_keyword_navigational_in_any_language() {
    let page = page(&[], &[("https://www.media-markt.de/", "MediaMarkt")]);
    assert_eq!(
        of("Media Markt", "de", Some(&page)),
        Some(Intent::Navigational)
    );
    assert_eq!(of("televisie", "nl", Some(&page)), None);
}

#[test]
fn what_the_engine_shows_overrides_the_words() {
    let shopping = page(&[(Feature::Shopping, 3)], &[("https://a.example/", "A")]);
    assert_eq!(
        of("what are loafers", "en", Some(&shopping)),
        Some(Intent::Transactional)
    );
    let tests = [("https://a.example/", "10 best loafers"); 5];
    assert_eq!(
        of("loafers", "en", Some(&page(&[], &tests))),
        Some(Intent::Commercial)
    );
    assert_eq!(
        of("loafers", "en", Some(&page(&[], &tests[..4]))),
        Some(Intent::Informational)
    );
}

#[test]
fn a_question_asks_to_know_whatever_words_follow() {
    assert_eq!(
        of("How to buy a house", "en", None),
        Some(Intent::Informational)
    );
}

#[test]
fn words_of_buying_comparing_and_going_are_told_apart() {
    assert_eq!(
        of("buy running shoes", "en", None),
        Some(Intent::Transactional)
    );
    assert_eq!(
        of("best running shoes", "en", None),
        Some(Intent::Commercial)
    );
    assert_eq!(
        of("acme bank login", "en", None),
        Some(Intent::Navigational)
    );
    assert_eq!(
        of("photosynthesis", "en", None),
        Some(Intent::Informational)
    );
}

#[test]
fn without_word_lists_and_without_evidence_nothing_is_claimed() {
    assert_eq!(of("loopschoenen kopen", "nl", None), None);
}

#[test]
fn seven_languages_have_words_of_their_own_with_and_without_diacritics() {
    use Intent::{Commercial, Informational, Navigational, Transactional};
    for (language, keyword, intent) in [
        ("de", "laufschuhe kaufen", Transactional),
        ("de", "günstigste laufschuhe", Commercial),
        ("de", "wie bindet man laufschuhe", Informational),
        ("de", "kundenportal stadtwerke", Navigational),
        ("es", "mejores zapatillas", Commercial),
        ("es", "qué zapatillas comprar", Informational),
        ("es", "iniciar sesión banco", Navigational),
        ("cs", "běžecké boty recenze", Commercial),
        ("cs", "bezecke boty levne", Transactional),
        ("cs", "jak vybrat boty", Informational),
        ("sk", "najlepšie bežecké topánky", Commercial),
        ("sk", "topánky na stiahnutie", Transactional),
        ("hu", "legjobb futócipő", Commercial),
        ("hu", "futócipő árak", Transactional),
        ("hu", "hogyan fussunk", Informational),
        ("pl", "najlepsze buty do biegania", Commercial),
        ("pl", "buty do biegania cena", Transactional),
        ("pl", "buty do biegania", Informational),
    ] {
        assert_eq!(of(keyword, language, None), Some(intent), "{keyword}");
    }
}

#[test]
fn a_question_is_no_search_for_a_site_though_it_names_the_first() {
    let page = page(&[], &[("https://quizlet.com/", "Quizlet")]);
    assert_eq!(
        of("is quizlet", "en", Some(&page)),
        Some(Intent::Informational)
    );
    assert_eq!(of("quizlet", "en", Some(&page)), Some(Intent::Navigational));
    assert_eq!(of("quizlte", "en", Some(&page)), Some(Intent::Navigational));
}
