//! Where `hreflang` leads, and whether it comes back.

use super::SiteFound;
use crate::{
    findings::issues::code::IssueCode,
    site_graph::{Known, PageCard, SiteGraph, TargetState, UrlId},
};
use std::collections::BTreeSet;

pub fn find(site: &SiteGraph, all: &mut SiteFound) {
    for card in &site.cards {
        let others: BTreeSet<UrlId> = { card.hreflangs.iter() }
            .map(|it| it.url)
            .filter(|it| *it != card.url)
            .collect();
        for url in others {
            if let Some(code) = of_alternate(site, card, url) {
                if code == IssueCode::HreflangToNoindex {
                    all.told_noindex.insert(url);
                }
                all.of(card.url).add(code, site.urls.text(url).to_owned());
            }
        }
    }
}

/// The first thing that is wrong; what comes later would follow from it.
fn of_alternate(site: &SiteGraph, card: &PageCard, url: UrlId) -> Option<IssueCode> {
    match site.know(url) {
        Known::Page(_, page) => {
            let returns = page.hreflangs.iter().any(|it| it.url == card.url);
            if page.noindex {
                Some(IssueCode::HreflangToNoindex)
            } else if page.is_canonicalised_away() {
                Some(IssueCode::HreflangToNoncanonical)
            } else {
                (!returns).then_some(IssueCode::HreflangNoReturn)
            }
        }
        Known::Redirect(target, _) if target.is_success() => Some(IssueCode::HreflangToRedirect),
        Known::Redirect(target, _) | Known::Other(target) => match target.state {
            TargetState::Blocked | TargetState::Walled => None,
            _ if target.is_success() => None,
            _ => Some(IssueCode::HreflangToNon200),
        },
        Known::Nothing => None,
    }
}
