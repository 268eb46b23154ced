//! What a searcher wants, told from the words of the keyword and from the results page.
//!
//! The words are English; for other languages only the page speaks, and often it does not.

use crate::{
    keyword_text,
    observation::search_page::{Feature, SearchPage},
    url_rules,
};
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;
use utoipa::ToSchema;

/// What a searcher wants.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Intent {
    /// To know or to learn how.
    Informational,
    /// To reach a certain site.
    Navigational,
    /// To compare before buying.
    Commercial,
    /// To buy, to get, to use.
    Transactional,
}

const QUESTION: &[&str] = &[
    "what", "why", "who", "whose", "when", "where", "which", "how", "is", "are", "can", "does",
    "do", "should", "was", "were", "did", "will",
];
const COMMERCIAL: &[&str] = &[
    "best",
    "top",
    "review",
    "reviews",
    "vs",
    "versus",
    "compare",
    "comparison",
    "alternative",
    "alternatives",
    "cheapest",
    "rated",
    "ranking",
];
const TRANSACTIONAL: &[&str] = &[
    "download",
    "buy",
    "price",
    "prices",
    "cheap",
    "online",
    "free",
    "app",
    "watch",
    "coupon",
    "coupons",
    "order",
    "purchase",
    "sale",
    "deal",
    "deals",
    "discount",
    "shop",
    "store",
    "hire",
    "rent",
    "rental",
    "book",
    "booking",
    "tickets",
    "subscribe",
    "quote",
    "install",
    "play",
];
const NAVIGATIONAL: &[&str] = &[
    "login", "signin", "logon", "www", "com", "org", "net", "website", "homepage", "portal",
];

/// The intent behind a keyword; `None` when neither words nor page tell.
#[must_use]
pub fn of(keyword: &str, language: &str, page: Option<&SearchPage>) -> Option<Intent> {
    let words = words(keyword);
    page.and_then(|page| told_by_page(&words, page))
        .or_else(|| (language == "en").then(|| told_by_words(&words)))
}

/// What the engine itself takes the keyword for overrides the words.
fn told_by_page(words: &[String], page: &SearchPage) -> Option<Intent> {
    if names_top_domain(words, page) {
        return Some(Intent::Navigational);
    }
    let has = |feature| page.features().any(|(_, it)| it.feature == feature);
    let first_has_sitelinks = page
        .organic()
        .next()
        .is_some_and(|(_, first)| !first.sitelinks.is_empty());
    if has(Feature::KnowledgePanel) && first_has_sitelinks {
        return Some(Intent::Navigational);
    }
    if commercial_blocks(page) >= 3 {
        return Some(Intent::Transactional);
    }
    (comparing_titles(page) >= 5).then_some(Intent::Commercial)
}

fn told_by_words(words: &[String]) -> Intent {
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let asks = words
        .first()
        .is_some_and(|word| QUESTION.contains(&word.as_str()));
    if asks {
        Intent::Informational
    } else if any(NAVIGATIONAL) {
        Intent::Navigational
    } else if any(COMMERCIAL) {
        Intent::Commercial
    } else if any(TRANSACTIONAL) {
        Intent::Transactional
    } else {
        Intent::Informational
    }
}

/// Whether the keyword, squeezed, is the name of the first result's domain.
fn names_top_domain(words: &[String], page: &SearchPage) -> bool {
    let squeezed = words.concat();
    let label = page
        .organic()
        .next()
        .and_then(|(_, first)| url_rules::domain_of_url(&first.url))
        .and_then(|domain| domain.split('.').next().map(|label| label.replace('-', "")));
    label.is_some_and(|label| label.len() >= 4 && (squeezed == label || words.contains(&label)))
}

/// Products and advertisements on the page, each entry counted.
fn commercial_blocks(page: &SearchPage) -> usize {
    page.features()
        .filter(|(_, it)| {
            matches!(
                it.feature,
                Feature::Shopping | Feature::PaidTop | Feature::PaidBottom
            )
        })
        .map(|(_, it)| it.links.len().max(1))
        .sum()
}

fn comparing_titles(page: &SearchPage) -> usize {
    let compares = |title: &str| {
        words(title)
            .iter()
            .any(|word| ["best", "review", "reviews"].contains(&word.as_str()))
    };
    page.organic()
        .take(10)
        .filter(|(_, result)| compares(&result.title))
        .count()
}

fn words(text: &str) -> Vec<String> {
    keyword_text::normalised(text)
        .unicode_words()
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        observation::search_page::{
            Block, BlockContent, FeatureBlock, FeatureCoverage, OrganicResult, PageLink,
        },
        provenance::Provenance,
    };

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
        assert_eq!(of("fernseher", "de", Some(&page)), None);
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
        assert_eq!(of("laufschuhe kaufen", "de", None), None);
    }
}
