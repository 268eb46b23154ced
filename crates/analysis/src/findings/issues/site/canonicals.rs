//! Where canonical addresses lead.

use super::{SiteFound, is_no_page};
use crate::{
    findings::issues::code::IssueCode,
    site_graph::{Known, SiteGraph, UrlId},
};
use std::collections::BTreeSet;

/// `confirmed` are addresses on other hosts that did not work when an earlier audit asked either; sorted.
pub fn find(site: &SiteGraph, confirmed: &[UrlId], all: &mut SiteFound) {
    for card in &site.cards {
        let others: BTreeSet<UrlId> = { card.canonicals.iter() }
            .filter(|it| **it != card.url)
            .copied()
            .collect();
        for canonical in others {
            let code = match site.know(canonical) {
                Known::Page(_, page) if page.noindex => IssueCode::CanonicalToNoindex,
                Known::Page(_, page) if page.is_canonicalised_away() => IssueCode::CanonicalChain,
                Known::Redirect(target, _) if target.is_success() => IssueCode::CanonicalToRedirect,
                Known::Redirect(target, _) | Known::Other(target)
                    if is_no_page(site, canonical, target) =>
                {
                    IssueCode::CanonicalToNon200
                }
                _ => continue,
            };
            if code == IssueCode::CanonicalToNoindex {
                all.told_noindex.insert(canonical);
            }
            let named = std::iter::once(canonical);
            if code == IssueCode::CanonicalToNon200 {
                all.add_broken(site, confirmed, card.url, code, named);
            } else {
                all.add_urls(site, card.url, code, named);
            }
        }
    }
}
