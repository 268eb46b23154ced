use super::SiteFound;
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{Known, LinkFacts, SiteGraph, SitemapCard, TargetState, UrlId};
use std::collections::HashSet;

/// Entries (sitemaps.org).
const MOST_ENTRIES: u32 = 50_000;

pub fn find(site: &SiteGraph, links: &LinkFacts, all: &mut SiteFound) {
    for sitemap in &site.sitemaps {
        of_sitemap(site, sitemap, all);
    }
    let listed: HashSet<UrlId> = site
        .sitemaps
        .iter()
        .flat_map(|it| &it.pages)
        .map(|it| it.url)
        .collect();
    for &url in &listed {
        if let Some(code) = of_listed(site, url) {
            if code == IssueCode::SitemapNoindex {
                all.told_noindex.insert(url);
            }
            all.of(url).add(code, None);
        }
    }
    // The entries of an unread or truncated sitemap are unknown.
    let all_are_known = site.sitemaps_are_read && { site.sitemaps.iter() }
        .all(|it| it.problem.is_none() || !it.named);
    for (number, card) in site.cards.iter().enumerate() {
        if links.is_orphan(site, number) {
            all.of(card.url).add(IssueCode::Orphan, None);
        }
        let is_listed = listed.is_empty() || listed.contains(&card.url);
        if all_are_known && card.is_indexable && !is_listed {
            all.of(card.url).add(IssueCode::NotInSitemap, None);
        }
    }
}

fn of_sitemap(site: &SiteGraph, sitemap: &SitemapCard, all: &mut SiteFound) {
    let found = all.of(sitemap.url);
    match sitemap.problem.as_deref() {
        None if sitemap.entries <= MOST_ENTRIES => {}
        // Reported elsewhere.
        Some("blockedByRobots") => {}
        // A sitemap at the default URL is optional.
        Some("absent" | "unavailable" | "html" | "notSitemap") if !sitemap.named => {}
        Some("absent" | "unavailable") => {
            let told =
                { sitemap.status }.map_or("no answer".to_owned(), |it| format!("status {it}"));
            found.add(
                IssueCode::SitemapNon200,
                format!("the sitemap itself: {told}"),
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
    let future = sitemap.pages.iter().filter(|it| it.is_of_the_future);
    found.add_each(
        IssueCode::SitemapLastmodFuture,
        future.map(|it| site.urls.text(it.url)),
    );
}

fn of_listed(site: &SiteGraph, url: UrlId) -> Option<IssueCode> {
    match site.know(url) {
        Known::Page(_, card) if card.noindex => Some(IssueCode::SitemapNoindex),
        Known::Page(_, card) if card.is_canonicalised_away() => {
            Some(IssueCode::SitemapNonCanonical)
        }
        Known::Redirect(..) => Some(IssueCode::SitemapNon200),
        Known::Other(target) => match target.state {
            TargetState::Blocked => Some(IssueCode::SitemapBlocked),
            TargetState::Walled => None,
            _ if target.is_success() => None,
            _ => Some(IssueCode::SitemapNon200),
        },
        _ => None,
    }
}
