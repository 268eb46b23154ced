//! Pages that say the same.

use super::SiteFound;
use crate::{
    findings::issues::code::IssueCode,
    site_graph::{PageCard, SiteGraph, UrlId},
    text::duplicates::Duplicates,
};
use std::{
    collections::{BTreeMap, HashMap},
    num::NonZeroU64,
};

pub fn find(site: &SiteGraph, duplicates: &Duplicates, all: &mut SiteFound) {
    same(site, all, IssueCode::TitleDuplicate, |it| it.title);
    same(site, all, IssueCode::DescDuplicate, |it| it.description);
    same(site, all, IssueCode::H1Duplicate, |it| it.h1);
    for cluster in &duplicates.clusters {
        let members: Vec<&PageCard> = cluster
            .pages
            .iter()
            .filter_map(|it| site.cards.get(*it))
            .filter(|it| may_be_told(it))
            .collect();
        of_cluster(site, &members, all);
    }
}

/// Whether a page's likeness to others is a fault: it may be listed, and does not go on where
/// another page of a series ended.
fn may_be_told(card: &PageCard) -> bool {
    card.is_indexable && card.previous_pages.is_empty()
}

/// Whether a page names another as itself in another language.
fn is_translation(one: &PageCard, other: &PageCard) -> bool {
    let names = |a: &PageCard, b: &PageCard| a.hreflangs.iter().any(|it| it.url == b.url);
    names(one, other) || names(other, one)
}

fn same(
    site: &SiteGraph,
    all: &mut SiteFound,
    code: IssueCode,
    of: impl Fn(&PageCard) -> Option<NonZeroU64>,
) {
    let mut groups: HashMap<NonZeroU64, Vec<&PageCard>> = HashMap::new();
    for card in site.cards.iter().filter(|it| may_be_told(it)) {
        if let Some(hash) = of(card) {
            groups.entry(hash).or_default().push(card);
        }
    }
    for group in groups.values().filter(|it| it.len() > 1) {
        for card in group {
            all.add_urls(site, card.url, code, others(card, group));
        }
    }
}

fn others<'a>(card: &'a PageCard, group: &'a [&'a PageCard]) -> impl Iterator<Item = UrlId> + 'a {
    let others = group.iter().filter(|it| it.url != card.url);
    others
        .filter(|it| !is_translation(card, it))
        .map(|it| it.url)
}

fn of_cluster(site: &SiteGraph, members: &[&PageCard], all: &mut SiteFound) {
    let mut exact: BTreeMap<[u8; 32], Vec<&PageCard>> = BTreeMap::new();
    for card in members {
        if let Some(digest) = card.digest {
            exact.entry(digest).or_default().push(card);
        }
    }
    for group in exact.values() {
        for card in group {
            if others(card, group).next().is_some() {
                let urls = others(card, group);
                all.add_urls(site, card.url, IssueCode::DuplicateExact, urls);
            } else {
                let urls = others(card, members);
                all.add_urls(site, card.url, IssueCode::DuplicateNear, urls);
            }
        }
    }
}
