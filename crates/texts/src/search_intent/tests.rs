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
fn the_first_results_name_makes_a_keyword_navigational() {
    let page = page(&[], &[("https://www.media-markt.de/", "MediaMarkt")]);
    assert_eq!(
        classify("Media Markt", "de", Some(&page)),
        Some(Intent::Navigational)
    );
    assert_eq!(classify("televisie", "nl", Some(&page)), None);
}

#[test]
fn page_features_override_the_words() {
    let shopping = page(&[(Feature::Shopping, 3)], &[("https://a.example/", "A")]);
    assert_eq!(
        classify("what are loafers", "en", Some(&shopping)),
        Some(Intent::Transactional)
    );
    let tests = [("https://a.example/", "10 best loafers"); 5];
    assert_eq!(
        classify("loafers", "en", Some(&page(&[], &tests))),
        Some(Intent::Commercial)
    );
    assert_eq!(
        classify("loafers", "en", Some(&page(&[], &tests[..4]))),
        Some(Intent::Informational)
    );
}

#[test]
fn questions_are_informational() {
    assert_eq!(
        classify("How to buy a house", "en", None),
        Some(Intent::Informational)
    );
}

#[test]
fn intent_words_are_distinguished() {
    assert_eq!(
        classify("buy running shoes", "en", None),
        Some(Intent::Transactional)
    );
    assert_eq!(
        classify("best running shoes", "en", None),
        Some(Intent::Commercial)
    );
    assert_eq!(
        classify("acme bank login", "en", None),
        Some(Intent::Navigational)
    );
    assert_eq!(
        classify("photosynthesis", "en", None),
        Some(Intent::Informational)
    );
}

#[test]
fn no_intent_without_word_list_and_page() {
    assert_eq!(classify("loopschoenen kopen", "nl", None), None);
}

#[test]
fn seven_languages_have_intent_words() {
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
        assert_eq!(classify(keyword, language, None), Some(intent), "{keyword}");
    }
}

#[test]
fn a_question_is_never_navigational() {
    let page = page(&[], &[("https://quizlet.com/", "Quizlet")]);
    assert_eq!(
        classify("is quizlet", "en", Some(&page)),
        Some(Intent::Informational)
    );
    assert_eq!(
        classify("quizlet", "en", Some(&page)),
        Some(Intent::Navigational)
    );
    assert_eq!(
        classify("quizlte", "en", Some(&page)),
        Some(Intent::Navigational)
    );
}
