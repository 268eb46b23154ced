use super::judge::{Judged, judge};
use super::site_index::SiteIndex;
use super::verdict::Verdict;
use crate::observation::{page_content::PageContent, web_site::PageLink};
use std::collections::BTreeMap;

pub(super) struct OnPage<'a> {
    pub(super) first: &'a PageLink,
    pub(super) occurrences: u32,
    pub(super) judged: Judged<'a>,
}

/// The links of a page grouped and sorted by target and verdict.
pub(super) fn on_page<'a>(
    page: &'a PageContent,
    index: &'a SiteIndex,
) -> impl Iterator<Item = OnPage<'a>> + use<'a> {
    let mut all: BTreeMap<(String, Verdict), OnPage<'a>> = BTreeMap::new();
    for link in &page.links {
        let judged = judge(page, link, index);
        all.entry((judged.target.clone(), judged.verdict))
            .and_modify(|it| it.occurrences += 1)
            .or_insert(OnPage {
                first: link,
                occurrences: 1,
                judged,
            });
    }
    all.into_values()
}
