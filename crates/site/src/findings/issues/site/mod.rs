mod availability;
mod canonicals;
mod duplicates;
mod files;
mod international;
mod links;
mod pagination;
mod robots_txt;
mod sitemaps;

pub use robots_txt::{RobotsTxtFault, RobotsTxtProblem, robots_txt_problems};

use super::code::IssueCode;
use super::issue::{Issue, IssueCollector};
use crate::{
    findings::{broken_links::Severity, geo_score::AgentVerdict, llms_txt::LlmsTxt},
    site_graph::{LinkFacts, Resolved, SiteGraph, Target, TargetState, UrlId},
    text::duplicates::Duplicates,
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, Default)]
pub struct SiteContext<'a> {
    /// robots.txt verdicts of AI crawlers for the start page; empty if unknown.
    pub agents: &'a [AgentVerdict],
    /// `/robots.txt`, if there is one.
    pub robots_txt: Option<&'a str>,
    /// `/llms.txt`; `None` if not fetched.
    pub llms_txt: Option<&'a LlmsTxt>,
    /// External URLs that failed now and in an earlier audit; sorted.
    pub confirmed_elsewhere: &'a [UrlId],
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteIssues {
    /// Issues by URL: of pages, files, and URLs that do not work.
    pub by_url: BTreeMap<UrlId, Vec<Issue>>,
    /// `noindex` pages that a more specific issue already reports.
    pub reported_noindex: BTreeSet<UrlId>,
}

impl SiteIssues {
    pub fn with_page(&self, url: UrlId, own: Vec<Issue>) -> Vec<Issue> {
        let is_reported =
            |it: &Issue| it.code == IssueCode::Noindex && self.reported_noindex.contains(&url);
        let own = own.into_iter().filter(|it| !is_reported(it));
        let of_site = self.by_url.get(&url).into_iter().flatten().cloned();
        let mut all: Vec<Issue> = own.chain(of_site).collect();
        all.sort_by_key(|it| it.code);
        all
    }
}

pub fn site_issues(
    site: &SiteGraph,
    links: &LinkFacts,
    duplicates: &Duplicates,
    context: &SiteContext<'_>,
) -> SiteIssues {
    let mut all = SiteIssueCollector::default();
    availability::find(site, &mut all);
    let confirmed = context.confirmed_elsewhere;
    canonicals::find(site, confirmed, &mut all);
    sitemaps::find(site, links, &mut all);
    duplicates::find(site, duplicates, &mut all);
    links::find(site, links, confirmed, &mut all);
    files::find(site, context, &mut all);
    international::find(site, confirmed, &mut all);
    pagination::find(site, confirmed, &mut all);
    let by_url = all.by_url.into_iter();
    let finished = by_url.map(|(url, found)| (url, found.finished()));
    SiteIssues {
        by_url: finished.filter(|it| !it.1.is_empty()).collect(),
        reported_noindex: all.reported_noindex,
    }
}

#[derive(Default)]
struct SiteIssueCollector {
    by_url: BTreeMap<UrlId, IssueCollector>,
    reported_noindex: BTreeSet<UrlId>,
}

impl SiteIssueCollector {
    fn issues_of(&mut self, url: UrlId) -> &mut IssueCollector {
        self.by_url.entry(url).or_default()
    }

    fn add_urls(
        &mut self,
        site: &SiteGraph,
        page: UrlId,
        code: IssueCode,
        urls: impl Iterator<Item = UrlId>,
    ) {
        let mut urls = urls.peekable();
        if urls.peek().is_some() {
            self.issues_of(page)
                .add_each(code, urls.map(|it| site.urls.text(it)));
        }
    }

    /// Adds an issue with the broken URLs that a page refers to; only a notice for first failures of other hosts, as in
    /// `broken-links`.
    fn add_broken(
        &mut self,
        site: &SiteGraph,
        confirmed: &[UrlId],
        page: UrlId,
        code: IssueCode,
        urls: impl Iterator<Item = UrlId>,
    ) {
        let is_sure = |it: &UrlId| {
            let answers = known_target(site, *it).is_some_and(Target::is_success);
            answers || site.urls.is_internal(*it) || confirmed.binary_search(it).is_ok()
        };
        let (sure, suspect): (Vec<UrlId>, Vec<UrlId>) = urls.partition(is_sure);
        self.add_urls(site, page, code, sure.into_iter());
        if !suspect.is_empty() {
            let texts = suspect.iter().map(|it| site.urls.text(*it));
            let details = texts.map(|it| format!("{it} (failed once)"));
            self.issues_of(page)
                .add_each_with(code, Severity::Notice, details);
        }
    }
}

/// The target of a URL that is not a page, or redirects to one.
fn known_target(site: &SiteGraph, url: UrlId) -> Option<&Target> {
    match site.resolve(url) {
        Resolved::Redirect(target, _) | Resolved::Other(target) => Some(target),
        _ => None,
    }
}

/// Whether a URL that is named as a page does not work: internal URLs without success, external ones
/// that are broken for all clients.
fn is_unavailable(site: &SiteGraph, url: UrlId, target: &Target) -> bool {
    if site.urls.is_internal(url) {
        let is_hidden = matches!(target.state, TargetState::Blocked | TargetState::Challenged);
        !target.is_success() && !is_hidden
    } else {
        target.is_broken()
    }
}
