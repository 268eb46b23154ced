//! Series of pages.

use super::SiteFound;
use crate::{
    findings::issues::code::IssueCode,
    site_graph::{Known, PageCard, SiteGraph, TargetState, UrlId},
};
use std::collections::{BTreeSet, HashSet};

pub fn find(site: &SiteGraph, all: &mut SiteFound) {
    for card in &site.cards {
        let named: BTreeSet<UrlId> = { card.next_pages.iter() }
            .chain(&card.previous_pages)
            .copied()
            .collect();
        let linked = |it: &UrlId| card.links.iter().any(|link| link.target() == *it);
        let broken = |it: &UrlId| is_broken(site, *it);
        // What is broken need not be linked.
        let unlinked = { named.iter().copied() }.filter(|it| !linked(it) && !broken(it));
        all.add_urls(site, card.url, IssueCode::PaginationNotLinked, unlinked);
        let gone = named.iter().copied().filter(broken);
        all.add_urls(site, card.url, IssueCode::PaginationNon200, gone);
        if leads_back(site, card) {
            all.of(card.url).add(IssueCode::PaginationLoop, None);
        }
    }
}

fn is_broken(site: &SiteGraph, url: UrlId) -> bool {
    match site.know(url) {
        Known::Redirect(..) => true,
        Known::Other(target) => {
            !target.is_success()
                && !matches!(target.state, TargetState::Blocked | TargetState::Walled)
        }
        _ => false,
    }
}

/// Pages that a series is followed for.
const LONGEST: usize = 1_000;

/// Whether going on from a page leads back to it.
fn leads_back(site: &SiteGraph, card: &PageCard) -> bool {
    let mut seen = HashSet::new();
    let mut at = card.next_pages.first().copied();
    while let Some(url) = at {
        if url == card.url {
            return true;
        }
        if !seen.insert(url) || seen.len() > LONGEST {
            return false;
        }
        at = site
            .page(url)
            .and_then(|it| it.1.next_pages.first().copied());
    }
    false
}
