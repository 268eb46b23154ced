//! Where canonical addresses lead.

use super::SiteFound;
use crate::{
    findings::issues::code::IssueCode,
    site_graph::{Known, SiteGraph, TargetState, UrlId},
};
use std::collections::BTreeSet;

pub fn find(site: &SiteGraph, all: &mut SiteFound) {
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
                    if !target.is_success()
                        && !matches!(target.state, TargetState::Blocked | TargetState::Walled) =>
                {
                    IssueCode::CanonicalToNon200
                }
                _ => continue,
            };
            if code == IssueCode::CanonicalToNoindex {
                all.told_noindex.insert(canonical);
            }
            all.of(card.url)
                .add(code, site.urls.text(canonical).to_owned());
        }
    }
}
