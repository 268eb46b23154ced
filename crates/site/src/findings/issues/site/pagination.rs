use super::{SiteIssueCollector, is_unavailable};
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{PageNode, Resolved, SiteGraph, UrlId};
use std::collections::{BTreeSet, HashSet};

/// `confirmed` are external URLs that failed in an earlier audit too; sorted.
pub fn find(site: &SiteGraph, confirmed: &[UrlId], all: &mut SiteIssueCollector) {
    for node in &site.nodes {
        let named: BTreeSet<UrlId> = { node.next_pages.iter() }
            .chain(&node.previous_pages)
            .copied()
            .collect();
        let linked = |it: &UrlId| node.links.iter().any(|link| link.target() == *it);
        let broken = |it: &UrlId| is_broken(site, *it);
        // Broken pages need not be linked.
        let unlinked = { named.iter().copied() }
            .filter(|it| !node.links_are_cut && !linked(it) && !broken(it));
        all.add_urls(site, node.url, IssueCode::PaginationNotLinked, unlinked);
        let gone = named.iter().copied().filter(broken);
        all.add_broken(site, confirmed, node.url, IssueCode::PaginationNon200, gone);
        if is_loop(site, node) {
            all.issues_of(node.url).add(IssueCode::PaginationLoop, None);
        }
    }
}

fn is_broken(site: &SiteGraph, url: UrlId) -> bool {
    match site.resolve(url) {
        Resolved::Redirect(target, _) if target.is_success() => true,
        Resolved::Redirect(target, _) | Resolved::Other(target) => {
            is_unavailable(site, url, target)
        }
        _ => false,
    }
}

/// Pages of a series that are followed.
const MAX_SERIES_PAGES: usize = 1_000;

/// Whether following `next` from a page leads back to it.
fn is_loop(site: &SiteGraph, node: &PageNode) -> bool {
    let mut seen = HashSet::new();
    let mut at = node.next_pages.first().copied();
    while let Some(url) = at {
        if url == node.url {
            return true;
        }
        if !seen.insert(url) || seen.len() > MAX_SERIES_PAGES {
            return false;
        }
        at = site
            .page(url)
            .and_then(|it| it.1.next_pages.first().copied());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::broken_links::Severity;
    use crate::findings::issues::issue::Issue;
    use crate::findings::sample_pages;
    use crate::observation::page_content::{Canonical, Hreflang, PageContent, TagSource};
    use crate::observation::web_site::{
        CheckState, CrawlScope, FetchFailure, Fetched, TargetCheck,
    };

    const PAGE: &str = "https://example.com/page";

    /// The issues of a page that names a URL as canonical, alternate and next page.
    fn issues(url: &str, fetched: Fetched, is_confirmed: bool) -> Vec<Issue> {
        let mut site = SiteGraph::new(PAGE, CrawlScope::from_host("example.com"));
        let mut page = PageContent::blank(PAGE);
        page.next_pages = vec![url.to_owned()];
        page.links = vec![sample_pages::link(url, "next")];
        page.canonicals = vec![Canonical {
            raw: url.to_owned(),
            url: Some(url.to_owned()),
            is_absolute: true,
            has_fragment: false,
            source: TagSource::Head,
        }];
        page.hreflangs = vec![Hreflang {
            code: "de".to_owned(),
            raw: url.to_owned(),
            url: Some(url.to_owned()),
            is_absolute: true,
            source: TagSource::Head,
        }];
        site.add_page(&page);
        site.add_check(&TargetCheck {
            url: url.to_owned(),
            state: CheckState::Requested {
                fetched,
                names: None,
            },
        });
        let confirmed: Vec<UrlId> = { site.urls.known(url).into_iter() }
            .filter(|_| is_confirmed)
            .collect();
        let mut all = SiteIssueCollector::default();
        find(&site, &confirmed, &mut all);
        super::super::canonicals::find(&site, &confirmed, &mut all);
        super::super::international::find(&site, &confirmed, &mut all);
        let found = all.by_url.remove(&site.start).unwrap_or_default();
        found.finished()
    }

    /// As for links to other hosts.
    #[test]
    fn a_first_external_failure_is_a_notice() {
        let elsewhere = "https://other.example/2";
        let mut timeout = Fetched::plain(elsewhere, 200);
        timeout.failure = Some(FetchFailure::Timeout);
        let reported = |issues: &[Issue]| -> Vec<_> {
            { issues.iter() }.map(|it| (it.code, it.severity)).collect()
        };
        let all = |severity| {
            [
                (IssueCode::CanonicalToNon200, severity),
                (IssueCode::HreflangToNon200, severity),
                (IssueCode::PaginationNon200, severity),
            ]
        };
        for fetched in [
            Fetched::plain(elsewhere, 404),
            Fetched::plain(elsewhere, 503),
            timeout,
        ] {
            let once = issues(elsewhere, fetched.clone(), false);
            assert_eq!(reported(&once), all(Severity::Notice));
            let detail = once[0].detail.as_deref();
            assert_eq!(detail, Some("https://other.example/2 (failed once)"));
            assert_eq!(
                reported(&issues(elsewhere, fetched, true)),
                all(Severity::Error)
            );
        }
        for status in [401, 403, 429] {
            assert_eq!(
                issues(elsewhere, Fetched::plain(elsewhere, status), true),
                []
            );
        }
        let own = "https://example.com/2";
        for status in [404, 403, 503] {
            let found = issues(own, Fetched::plain(own, status), false);
            assert_eq!(reported(&found), all(Severity::Error), "{status}");
        }
    }
}
