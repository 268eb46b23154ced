//! Search intent from the keyword's words and the results page; in languages without word lists from the page only.

use crate::observation::search_page::{Feature, SearchPage};

mod names;
mod words;

pub use crate::intent::Intent;

use words::{Words, folded_words};

/// Products and ads on a page for transactional intent.
const SHOP_WINDOW: usize = 3;
/// Titles on a page for commercial intent.
const COMPARISONS: usize = 5;

/// `None` if neither words nor page decide.
pub fn of(keyword: &str, language: &str, page: Option<&SearchPage>) -> Option<Intent> {
    let words = folded_words(keyword);
    let list = Words::of(language);
    let asks = list.is_some_and(|list| list.asks(&words));
    page.and_then(|page| told_by_page(&words, asks, page))
        .or_else(|| list.map(|list| told_by_words(keyword, &words, list)))
}

/// Begins with an interrogative or ends with a question mark; `None` without either word list or mark.
pub fn is_question(keyword: &str, language: &str) -> Option<bool> {
    if keyword.trim_end().ends_with(['?', '？', '؟']) {
        return Some(true);
    }
    Words::of(language).map(|list| list.asks(&folded_words(keyword)))
}

/// Takes precedence over the words; a question is never navigational.
fn told_by_page(words: &[String], asks: bool, page: &SearchPage) -> Option<Intent> {
    if !asks && (names_first_site(words, page) || shows_one_site(page)) {
        Some(Intent::Navigational)
    } else if commercial_blocks(page) >= SHOP_WINDOW {
        Some(Intent::Transactional)
    } else if comparing_titles(page) >= COMPARISONS {
        Some(Intent::Commercial)
    } else {
        None
    }
}

fn told_by_words(keyword: &str, words: &[String], list: &Words) -> Intent {
    if list.asks(words) {
        Intent::Informational
    } else if names::is_address(keyword) || list.goes(words) {
        Intent::Navigational
    } else if list.compares(words) {
        Intent::Commercial
    } else if list.buys(words) {
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
        .filter(|(_, result)| words::title_compares(&result.title))
        .count()
}

#[cfg(test)]
mod tests;
