//! The pages that an answer refers to, each once, in order.

use super::url_credentials::safe_url;
use analysis::observation::ai_answer::{AnswerCitation, CitationPart, TextSpan};
use std::collections::HashMap;

/// Further pages are ignored.
const MAX_PAGES: usize = 1_000;

#[derive(Debug, Default)]
pub(super) struct Sources {
    pages: Vec<AnswerCitation>,
    index_by_url: HashMap<String, usize>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CitedPage<'a> {
    pub url: &'a str,
    pub title: Option<&'a str>,
    pub domain: Option<&'a str>,
}

impl<'a> CitedPage<'a> {
    pub(super) const fn new(url: &'a str, title: Option<&'a str>) -> Self {
        Self {
            url,
            title,
            domain: None,
        }
    }
}

impl Sources {
    /// Adds a page or extends a known one; the strongest kind of reference counts.
    pub(super) fn add(&mut self, page: CitedPage<'_>, part: CitationPart, span: Option<TextSpan>) {
        let Some(url) = safe_url(page.url) else {
            return;
        };
        let place = match self.index_by_url.get(&url) {
            Some(place) => *place,
            None if self.pages.len() < MAX_PAGES => {
                self.index_by_url.insert(url.clone(), self.pages.len());
                self.pages.push(AnswerCitation {
                    url,
                    title: None,
                    domain: None,
                    part,
                    spans: Vec::new(),
                });
                self.pages.len() - 1
            }
            None => return,
        };
        let known = &mut self.pages[place];
        known.part = known.part.min(part);
        let unless_empty = |it: Option<&str>| {
            let it = it.map(str::trim).filter(|it| !it.is_empty());
            it.map(str::to_owned)
        };
        known.title = known.title.take().or_else(|| unless_empty(page.title));
        known.domain = known.domain.take().or_else(|| unless_empty(page.domain));
        if let Some(span) = span.filter(|it| !known.spans.contains(it)) {
            known.spans.push(span);
        }
    }

    /// Cited pages first, in order of first reference; then search results.
    pub(super) fn in_order(mut self) -> Vec<AnswerCitation> {
        self.pages
            .sort_by_key(|it| it.part == CitationPart::SearchResult);
        self.pages
    }
}
