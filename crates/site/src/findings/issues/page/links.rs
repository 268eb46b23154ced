//! Links as written; their targets are checked at site level.

use super::{IssueCollector, Subject, genericness::is_generic_link_text};
use crate::findings::issues::code::IssueCode;
use crate::observation::page_url::is_loopback;
use crate::observation::web_site::{LinkTarget, PageLink};
use url::Url;

/// Links of a page (internal: `SEOnaut`, external: Screaming Frog).
const MANY: usize = 100;

/// A link of `a` or `area` to the web.
struct Followed<'a> {
    link: &'a PageLink,
    url: &'a str,
    is_internal: bool,
}

pub fn find(subject: &Subject<'_>, found: &mut IssueCollector) {
    let page = subject.page;
    let followed: Vec<Followed<'_>> = page
        .links
        .iter()
        .filter(|it| it.is_navigable())
        .filter_map(|link| match &link.target {
            LinkTarget::Web { url, .. } => Some(Followed {
                link,
                url,
                is_internal: subject.is_internal(url),
            }),
            _ => None,
        })
        .collect();
    amounts(subject, &followed, found);
    texts(subject, &followed, found);
    let nofollow = followed
        .iter()
        .filter(|it| it.is_internal && has_rel(it.link, "nofollow"));
    found.add_each(IssueCode::InternalNofollow, nofollow.map(|it| it.url));
    let anchors = page.uncrawlable_anchors.iter();
    found.add_each(
        IssueCode::UncrawlableAnchor,
        anchors.map(|it| it.text.as_deref().unwrap_or(&it.raw)),
    );
    let to_itself = |url: &str| Url::parse(url).is_ok_and(|it| is_loopback(&it));
    let local = page.links.iter().filter_map(|it| match &it.target {
        LinkTarget::Web { url, .. } if to_itself(url) && !subject.is_internal(url) => Some(url),
        _ => None,
    });
    found.add_each(IssueCode::LocalhostLink, local);
    if page.is_https() {
        let open = followed
            .iter()
            // Internal http pages have their own issue.
            .filter(|it| !it.is_internal && it.url.starts_with("http:") && !to_itself(it.url));
        found.add_each(IssueCode::HttpLink, open.map(|it| it.url));
        let loaded = page.links.iter().filter_map(|it| match &it.target {
            LinkTarget::Web { url, .. }
                if url.starts_with("http:") && it.is_subresource() && !to_itself(url) =>
            {
                Some(url)
            }
            _ => None,
        });
        found.add_each(IssueCode::MixedContent, loaded);
    }
    let windows = page.unprotected_windows.iter();
    found.add_each(IssueCode::UnsafeCrossOrigin, windows.map(|it| &it.url));
}

fn amounts(subject: &Subject<'_>, followed: &[Followed<'_>], found: &mut IssueCollector) {
    let own = followed.iter().filter(|it| it.is_internal).count();
    let elsewhere = followed.len() - own;
    if own > MANY {
        found.add(IssueCode::TooManyLinks, format!("{own} links"));
    }
    if elsewhere > MANY {
        found.add(
            IssueCode::HighExternalOutlinks,
            format!("{elsewhere} links"),
        );
    }
    let leads_on = followed.iter().any(|it| it.url != subject.page.url);
    let is_dead_end = !leads_on && !subject.page.links_are_truncated();
    found.add_if(is_dead_end, IssueCode::DeadEnd);
}

fn texts(subject: &Subject<'_>, followed: &[Followed<'_>], found: &mut IssueCollector) {
    let page = subject.page;
    let empty = followed
        .iter()
        .filter(|it| it.link.element == "a" && it.link.text.is_none());
    found.add_each(IssueCode::EmptyAnchor, empty.map(|it| it.url));
    let language = page.language_code();
    let generic = followed.iter().filter(|it| {
        !has_rel(it.link, "nofollow")
            && it.url != page.url
            && it
                .link
                .text
                .as_deref()
                .is_some_and(|it| is_generic_link_text(it, language.as_deref()))
    });
    let details = generic.map(|it| {
        let text = it.link.text.as_deref().unwrap_or_default();
        format!("{text} ({})", it.url)
    });
    found.add_each(IssueCode::GenericAnchor, details);
}

fn has_rel(link: &PageLink, word: &str) -> bool {
    let mut words = link
        .rel
        .as_deref()
        .unwrap_or_default()
        .split_ascii_whitespace();
    words.any(|it| it.eq_ignore_ascii_case(word))
}
