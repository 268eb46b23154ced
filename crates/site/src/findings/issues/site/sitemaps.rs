use super::SiteIssueCollector;
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{LinkFacts, Resolved, SiteGraph, Sitemap, TargetState, UrlId};
use std::collections::HashSet;

/// Entries (sitemaps.org).
const MAX_ENTRIES: u32 = 50_000;

pub fn find(site: &SiteGraph, links: &LinkFacts, all: &mut SiteIssueCollector) {
    for sitemap in &site.sitemaps {
        check_sitemap(site, sitemap, all);
    }
    let listed: HashSet<UrlId> = site
        .sitemaps
        .iter()
        .flat_map(|it| &it.pages)
        .map(|it| it.url)
        .collect();
    for &url in &listed {
        if let Some(code) = listed_url_issue(site, url) {
            if code == IssueCode::SitemapNoindex {
                all.reported_noindex.insert(url);
            }
            all.issues_of(url).add(code, None);
        }
    }
    // The entries of an unread or truncated sitemap are unknown.
    let all_are_known = site.sitemaps_are_read && { site.sitemaps.iter() }
        .all(|it| it.problem.is_none() || !it.named);
    for (number, node) in site.nodes.iter().enumerate() {
        if links.is_orphan(site, number) {
            all.issues_of(node.url).add(IssueCode::Orphan, None);
        }
        let is_listed = listed.is_empty() || listed.contains(&node.url);
        if all_are_known && node.is_indexable && !is_listed {
            all.issues_of(node.url).add(IssueCode::NotInSitemap, None);
        }
    }
}

fn check_sitemap(site: &SiteGraph, sitemap: &Sitemap, all: &mut SiteIssueCollector) {
    let found = all.issues_of(sitemap.url);
    match sitemap.problem.as_deref() {
        None if sitemap.entries <= MAX_ENTRIES => {}
        // Reported elsewhere.
        Some("blockedByRobots") => {}
        // A sitemap at the default URL is optional.
        Some("absent" | "unavailable" | "html" | "notSitemap") if !sitemap.named => {}
        Some("absent" | "unavailable") => {
            let response =
                { sitemap.status }.map_or("no answer".to_owned(), |it| format!("status {it}"));
            found.add(
                IssueCode::SitemapNon200,
                format!("the sitemap itself: {response}"),
            );
        }
        Some(problem @ ("tooManyEntries" | "tooLarge")) => {
            found.add(IssueCode::SitemapTooLarge, problem.to_owned());
        }
        Some(problem) => found.add(IssueCode::SitemapInvalidXml, problem.to_owned()),
        None => found.add(
            IssueCode::SitemapTooLarge,
            format!("{} entries", sitemap.entries),
        ),
    }
    let future = sitemap.pages.iter().filter(|it| it.is_in_future);
    found.add_each(
        IssueCode::SitemapLastmodFuture,
        future.map(|it| site.urls.text(it.url)),
    );
}

fn listed_url_issue(site: &SiteGraph, url: UrlId) -> Option<IssueCode> {
    match site.resolve(url) {
        Resolved::Page(_, node) if node.noindex => Some(IssueCode::SitemapNoindex),
        Resolved::Page(_, node) if node.is_canonicalized_elsewhere() => {
            Some(IssueCode::SitemapNonCanonical)
        }
        Resolved::Redirect(..) => Some(IssueCode::SitemapNon200),
        Resolved::Other(target) => match target.state {
            TargetState::Blocked => Some(IssueCode::SitemapBlocked),
            TargetState::Challenged => None,
            _ if target.is_success() => None,
            _ => Some(IssueCode::SitemapNon200),
        },
        _ => None,
    }
}
