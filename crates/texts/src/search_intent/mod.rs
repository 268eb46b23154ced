//! Search intent from the keyword's words and the results page; in languages without word lists from the page only.

use crate::observation::search_page::{Feature, SearchPage};

mod names;
mod words;

pub use crate::intent::Intent;

use words::{Words, folded_words};

/// Products and ads on a page for transactional intent.
const MIN_SHOPPING_ENTRIES: usize = 3;
/// Titles on a page for commercial intent.
const MIN_COMPARING_TITLES: usize = 5;

/// `None` if neither words nor page decide.
pub fn classify(keyword: &str, language: &str, page: Option<&SearchPage>) -> Option<Intent> {
    let words = folded_words(keyword);
    let list = Words::of(language);
    let is_question = list.is_some_and(|list| list.is_question(&words));
    page.and_then(|page| intent_from_page(&words, is_question, page))
        .or_else(|| list.map(|list| intent_from_words(keyword, &words, list)))
}

/// Begins with an interrogative or ends with a question mark; `None` without either word list or mark.
pub fn is_question(keyword: &str, language: &str) -> Option<bool> {
    if keyword.trim_end().ends_with(['?', '？', '؟']) {
        return Some(true);
    }
    Words::of(language).map(|list| list.is_question(&folded_words(keyword)))
}

/// Takes precedence over the words; a question is never navigational.
fn intent_from_page(words: &[String], is_question: bool, page: &SearchPage) -> Option<Intent> {
    if !is_question && (names_first_site(words, page) || shows_one_site(page)) {
        Some(Intent::Navigational)
    } else if commercial_blocks(page) >= MIN_SHOPPING_ENTRIES {
        Some(Intent::Transactional)
    } else if comparing_titles(page) >= MIN_COMPARING_TITLES {
        Some(Intent::Commercial)
    } else {
        None
    }
}

fn intent_from_words(keyword: &str, words: &[String], list: &Words) -> Intent {
    if list.is_question(words) {
        Intent::Informational
    } else if names::is_address(keyword) || list.is_navigational(words) {
        Intent::Navigational
    } else if list.is_commercial(words) {
        Intent::Commercial
    } else if list.is_transactional(words) {
        Intent::Transactional
    } else {
        Intent::Informational
    }
}

fn names_first_site(words: &[String], page: &SearchPage) -> bool {
    page.organic()
        .next()
        .is_some_and(|(_, first)| names::names_site(words, &first.url))
}

/// A knowledge panel, and sitelinks at the first result.
fn shows_one_site(page: &SearchPage) -> bool {
    let has_panel = page
        .features()
        .any(|(_, it)| it.feature == Feature::KnowledgePanel);
    let first = page.organic().next();
    has_panel && first.is_some_and(|(_, first)| !first.sitelinks.is_empty())
}

/// Counts single entries.
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
    page.organic()
        .take(10)
        .filter(|(_, result)| words::is_comparison_title(&result.title))
        .count()
}

#[cfg(test)]
mod tests;
