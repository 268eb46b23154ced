//! Where links, files and images lead, and how pages are linked.

use super::SiteFound;
use crate::{
    findings::issues::code::IssueCode,
    site_graph::{CardFragment, Known, LinkFacts, PageCard, SiteGraph, Target, UrlId},
};
use std::collections::BTreeSet;

/// Clicks from the start (`SEOnaut`).
const DEEP: u32 = 4;
/// Bytes (`SEOnaut`).
const LARGE_IMAGE: u64 = 500_000;

pub fn find(site: &SiteGraph, links: &LinkFacts, all: &mut SiteFound) {
    for (number, card) in site.cards.iter().enumerate() {
        of_page(site, card, all);
        let inlinks = links.inlinks[number];
        let found_mixed = inlinks.following > 0 && inlinks.nofollow > 0;
        if found_mixed {
            let detail = format!("{} and {} pages", inlinks.following, inlinks.nofollow);
            all.of(card.url).add(IssueCode::FollowNofollowMixed, detail);
        }
        if card.depth > DEEP {
            let detail = format!("{} clicks", card.depth);
            all.of(card.url).add(IssueCode::DepthHigh, detail);
        }
    }
}

fn of_page(site: &SiteGraph, card: &PageCard, all: &mut SiteFound) {
    let linked: BTreeSet<UrlId> = { card.links.iter() }
        .map(|it| it.target())
        .chain(card.files.iter().copied())
        .collect();
    let mut where_target =
        |code, urls: &mut dyn Iterator<Item = UrlId>, holds: fn(&Target) -> bool| {
            let held = urls.filter(|it| target(site, *it).is_some_and(holds));
            all.add_urls(site, card.url, code, held);
        };
    let mut own = linked
        .iter()
        .copied()
        .filter(|it| site.urls.is_internal(*it));
    where_target(IssueCode::InternalBroken, &mut own, Target::is_gone);
    let others = || {
        linked
            .iter()
            .copied()
            .filter(|it| !site.urls.is_internal(*it))
    };
    where_target(IssueCode::ExternalBroken, &mut others(), Target::is_broken);
    where_target(IssueCode::ExternalRedirect, &mut others(), |it| {
        it.is_success() && it.hops > 0 && it.is_permanent
    });
    let images = || card.images.iter().copied();
    where_target(IssueCode::ImageBroken, &mut images(), Target::is_broken);
    where_target(IssueCode::ImageLarge, &mut images(), |it| {
        it.is_success() && it.bytes.is_some_and(|it| it > LARGE_IMAGE)
    });
    let missing = card.fragments.iter().filter(|it| misses_fragment(site, it));
    let missing: BTreeSet<UrlId> = missing.map(|it| it.target).collect();
    all.add_urls(
        site,
        card.url,
        IssueCode::MissingFragment,
        missing.into_iter(),
    );
}

fn target(site: &SiteGraph, url: UrlId) -> Option<&Target> {
    match site.know(url) {
        Known::Redirect(target, _) | Known::Other(target) => Some(target),
        _ => None,
    }
}

fn misses_fragment(site: &SiteGraph, link: &CardFragment) -> bool {
    match site.know(link.target) {
        Known::Page(_, card) | Known::Redirect(_, Some((_, card))) => !card.has(link),
        Known::Redirect(target, None) | Known::Other(target) => {
            let names = target.names.as_ref().filter(|_| target.is_success());
            names.is_some_and(|it| !link.is_among(it))
        }
        Known::Nothing => false,
    }
}
