//! What search engines are told of the page.

use super::{Found, Subject};
use crate::{
    findings::{broken_links::Severity, issues::code::IssueCode},
    observation::page_content::{Canonical, GOOGLEBOT, MetaKey, PageContent, TagSource},
};
use std::collections::BTreeSet;
use url::Url;

pub fn find(subject: &Subject<'_>, found: &mut Found) {
    let page = subject.page;
    let robots = page.robots_for(GOOGLEBOT);
    let in_series = !page.next_pages.is_empty() || !page.previous_pages.is_empty();
    if robots.noindex && in_series {
        found.add(IssueCode::PaginationNoindex, None);
    } else if robots.noindex {
        let severity = match subject.context.has_traffic {
            Some(true) => Severity::Error,
            _ => Severity::Notice,
        };
        found.add_with(IssueCode::Noindex, severity, 1, None);
    }
    found.add_if(robots.nofollow, IssueCode::NofollowPage);
    found.add_if(robots.nosnippet, IssueCode::Nosnippet);
    found.add_if(robots.noimageindex, IssueCode::Noimageindex);
    let strays = page.metas.iter().filter(|it| {
        it.source == TagSource::Body
            && matches!(it.key, MetaKey::Name | MetaKey::HttpEquiv)
            && it.name != "description"
    });
    found.add_each(IssueCode::MetaInBody, strays.map(|it| it.name.as_str()));
    canonicals(page, found);
}

fn canonicals(page: &PageContent, found: &mut Found) {
    let of = |source| page.canonicals.iter().filter(move |it| it.source == source);
    let (head, header) = (
        addresses(of(TagSource::Head)),
        addresses(of(TagSource::Header)),
    );
    if head.len() > 1 || header.len() > 1 {
        let all: Vec<&str> = head.iter().chain(&header).copied().collect();
        found.add(IssueCode::CanonicalMultiple, all.join("\n"));
    } else if let (Some(one), Some(other)) = (head.first(), header.first())
        && one != other
    {
        found.add(
            IssueCode::CanonicalHeaderMismatch,
            format!("{one}\n{other}"),
        );
    }
    if page.canonicals.is_empty() && page.is_indexable() {
        found.add(IssueCode::CanonicalMissing, None);
    }
    let in_body = of(TagSource::Body).map(|it| it.raw.as_str());
    found.add_each(IssueCode::CanonicalOutsideHead, in_body);
    let counting = || page.canonicals.iter().filter(|it| it.counts());
    let relative = counting().filter(|it| !it.is_absolute);
    found.add_each(
        IssueCode::CanonicalRelative,
        relative.map(|it| it.raw.as_str()),
    );
    let parts = counting().filter(|it| it.has_fragment);
    found.add_each(
        IssueCode::CanonicalFragment,
        parts.map(|it| it.raw.as_str()),
    );
    if page.canonical().is_some_and(|it| is_root_of(it, &page.url)) {
        found.add(IssueCode::CanonicalToRoot, None);
    }
}

/// Distinct addresses; those that are none stand as written.
fn addresses<'a>(all: impl Iterator<Item = &'a Canonical>) -> BTreeSet<&'a str> {
    all.map(|it| it.url.as_deref().unwrap_or(&it.raw)).collect()
}

/// Lighthouse's rule: the same origin's start page, named by another page.
fn is_root_of(canonical: &str, page: &str) -> bool {
    let (Ok(canonical), Ok(page)) = (Url::parse(canonical), Url::parse(page)) else {
        return false;
    };
    canonical.origin() == page.origin() && canonical.path() == "/" && page.path() != "/"
}
