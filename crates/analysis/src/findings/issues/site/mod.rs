//! Issues that only the site as a whole tells.

mod availability;
mod canonicals;
mod duplicates;
mod files;
mod international;
mod links;
mod pagination;
mod sitemaps;

pub use files::llms_txt_problem;

use super::{
    code::IssueCode,
    issue::{Found, Issue},
};
use crate::{
    site_graph::{LinkFacts, SiteGraph, UrlId},
    text::duplicates::Duplicates,
};
use std::collections::BTreeMap;

/// Whether a robot may read the start page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentVerdict {
    /// Its product token.
    pub agent: String,
    /// Whether it searches for answers, as opposed to training models.
    pub searches: bool,
    /// Whether robots.txt allows it.
    pub allowed: bool,
}

/// What is known beside the graph.
#[derive(Debug, Clone, Copy, Default)]
pub struct SiteContext<'a> {
    /// What robots.txt says to robots of AI; empty where that is not known.
    pub agents: &'a [AgentVerdict],
    /// `/llms.txt`, where there is one.
    pub llms_txt: Option<&'a str>,
}

/// The issues of a site, by address; beside pages there are files and addresses that do not work.
#[must_use]
pub fn site_issues(
    site: &SiteGraph,
    links: &LinkFacts,
    duplicates: &Duplicates,
    context: &SiteContext<'_>,
) -> BTreeMap<UrlId, Vec<Issue>> {
    let mut all = SiteFound::default();
    availability::find(site, &mut all);
    canonicals::find(site, &mut all);
    sitemaps::find(site, links, &mut all);
    duplicates::find(site, duplicates, &mut all);
    links::find(site, links, &mut all);
    files::find(site, context, &mut all);
    international::find(site, &mut all);
    pagination::find(site, &mut all);
    let by_url = all.by_url.into_iter();
    by_url.map(|(url, found)| (url, found.finished())).collect()
}

/// Issues by address, as they are found.
#[derive(Default)]
struct SiteFound {
    by_url: BTreeMap<UrlId, Found>,
}

impl SiteFound {
    fn of(&mut self, url: UrlId) -> &mut Found {
        self.by_url.entry(url).or_default()
    }

    /// Adds an issue for each address that a page has to do with.
    fn add_urls(
        &mut self,
        site: &SiteGraph,
        page: UrlId,
        code: IssueCode,
        urls: impl Iterator<Item = UrlId>,
    ) {
        let mut urls = urls.peekable();
        if urls.peek().is_some() {
            self.of(page)
                .add_each(code, urls.map(|it| site.urls.text(it)));
        }
    }
}
