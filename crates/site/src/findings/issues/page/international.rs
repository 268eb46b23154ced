use super::IssueCollector;
use crate::findings::issues::code::IssueCode;
use crate::observation::page_content::{Hreflang, PageContent, TagSource};
use crate::text::language::tags::{is_language_tag, language_group, primary_subtag};
use std::collections::{BTreeMap, BTreeSet};

const DEFAULT: &str = "x-default";

pub fn find(page: &PageContent, found: &mut IssueCollector) {
    let all: Vec<&Hreflang> = page
        .hreflangs
        .iter()
        .filter(|it| it.source != TagSource::Body)
        .collect();
    if all.is_empty() {
        return;
    }
    let is_default = |it: &Hreflang| it.code.eq_ignore_ascii_case(DEFAULT);
    let invalid = all
        .iter()
        .filter(|it| !is_default(it) && !is_language_tag(&it.code));
    found.add_each(IssueCode::HreflangInvalidCode, invalid.map(|it| &it.code));
    let none = all.iter().filter(|it| it.url.is_none());
    found.add_each(IssueCode::HreflangToNon200, none.map(|it| &it.raw));
    let relative = all.iter().filter(|it| !it.is_absolute && it.url.is_some());
    found.add_each(IssueCode::HreflangRelative, relative.map(|it| &it.raw));
    let own: Vec<&&Hreflang> = all
        .iter()
        .filter(|it| it.url.as_deref() == Some(&page.url))
        .collect();
    found.add_if(own.is_empty(), IssueCode::HreflangNoSelf);
    found.add_if(
        !all.iter().any(|it| is_default(it)),
        IssueCode::HreflangNoXDefault,
    );
    if let Some(lang) = page.document.lang.as_deref() {
        let mut named = own.iter().filter(|it| !is_default(it)).peekable();
        let differs = named.peek().is_some()
            && named.all(|it| language_group(&it.code) != language_group(lang));
        if differs {
            let named = own.iter().filter(|it| !is_default(it));
            let codes: Vec<&str> = named.map(|it| it.code.as_str()).collect();
            found.add(
                IssueCode::HreflangLangMismatch,
                format!("{}, html lang {lang}", codes.join(", ")),
            );
        }
    }
    found.add_each(
        IssueCode::HreflangMultipleLangs,
        conflicting_alternates(&all).into_iter(),
    );
}

/// Codes with several URLs, and URLs with several languages; several regions of one language are allowed.
fn conflicting_alternates(all: &[&Hreflang]) -> Vec<String> {
    let mut by_code: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut by_url: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for it in all {
        let Some(url) = it.url.as_deref() else {
            continue;
        };
        by_code
            .entry(it.code.to_ascii_lowercase())
            .or_default()
            .insert(url);
        if !it.code.eq_ignore_ascii_case(DEFAULT) {
            by_url
                .entry(url)
                .or_default()
                .insert(primary_subtag(&it.code));
        }
    }
    let codes = by_code
        .into_iter()
        .filter(|it| it.1.len() > 1)
        .map(|it| it.0);
    let urls = by_url
        .into_iter()
        .filter(|it| it.1.len() > 1)
        .map(|it| it.0.to_owned());
    codes.chain(urls).collect()
}
