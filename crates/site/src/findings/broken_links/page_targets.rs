use super::evaluate::{EvaluatedLink, evaluate_link};
use super::site_index::SiteIndex;
use super::verdict::Verdict;
use crate::observation::{page_content::PageContent, web_site::PageLink};
use std::collections::BTreeMap;

pub(super) struct PageTarget<'a> {
    pub(super) first: &'a PageLink,
    pub(super) occurrences: u32,
    pub(super) evaluated: EvaluatedLink<'a>,
}

/// The links of a page grouped and sorted by target and verdict.
pub(super) fn page_targets<'a>(
    page: &'a PageContent,
    index: &'a SiteIndex,
) -> impl Iterator<Item = PageTarget<'a>> + use<'a> {
    let mut all: BTreeMap<(String, Verdict), PageTarget<'a>> = BTreeMap::new();
    for link in &page.links {
        let evaluated = evaluate_link(page, link, index);
        all.entry((evaluated.target.clone(), evaluated.verdict))
            .and_modify(|it| it.occurrences += 1)
            .or_insert(PageTarget {
                first: link,
                occurrences: 1,
                evaluated,
            });
    }
    all.into_values()
}
