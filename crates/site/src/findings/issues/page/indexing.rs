use super::{IssueCollector, Subject};
use crate::findings::broken_links::Severity;
use crate::findings::issues::code::IssueCode;
use crate::observation::page_content::{Canonical, GOOGLEBOT, MetaKey, PageContent, TagSource};
use std::collections::BTreeSet;
use url::Url;

pub fn find(subject: &Subject<'_>, found: &mut IssueCollector) {
    let page = subject.page;
    let robots = page.robots_for(GOOGLEBOT);
    let in_series = !page.next_pages.is_empty() || !page.previous_pages.is_empty();
    // Marks rules set by scripts, which are not in the document.
    let by_script = { page.is_noindex() && !robots.noindex }.then(|| "set by a script".to_owned());
    if page.is_noindex() && in_series {
        found.add(IssueCode::PaginationNoindex, by_script);
    } else if page.is_noindex() {
        let severity = match subject.context.has_traffic {
            Some(true) => Severity::Error,
            _ => Severity::Notice,
        };
        found.add_with(IssueCode::Noindex, severity, 1, by_script);
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

fn canonicals(page: &PageContent, found: &mut IssueCollector) {
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
    let is_unnamed = page.canonicals.is_empty() && page.canonical_by_script().is_none();
    if is_unnamed && page.is_indexable() {
        found.add(IssueCode::CanonicalMissing, None);
    }
    let in_body = of(TagSource::Body).map(|it| it.raw.as_str());
    found.add_each(IssueCode::CanonicalOutsideHead, in_body);
    let counting = || page.canonicals.iter().filter(|it| it.is_effective());
    let none = counting().filter(|it| it.url.is_none());
    found.add_each(IssueCode::CanonicalToNon200, none.map(|it| it.raw.as_str()));
    let relative = counting().filter(|it| !it.is_absolute && it.url.is_some());
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

/// Distinct URLs; invalid ones as written.
fn addresses<'a>(all: impl Iterator<Item = &'a Canonical>) -> BTreeSet<&'a str> {
    all.map(|it| it.url.as_deref().unwrap_or(&it.raw)).collect()
}

/// Lighthouse's rule: the home page of the same origin, named by another page.
fn is_root_of(canonical: &str, page: &str) -> bool {
    let (Ok(canonical), Ok(page)) = (Url::parse(canonical), Url::parse(page)) else {
        return false;
    };
    canonical.origin() == page.origin() && canonical.path() == "/" && page.path() != "/"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::{PageContext, page_issues};
    use crate::observation::page_content::{Rendered, RenderedPage};
    use crate::observation::web_site::CrawlScope;
    use crate::page_kind::page_kind;

    fn codes(page: &PageContent) -> Vec<IssueCode> {
        let context = PageContext {
            kind: page_kind(page),
            scope: &CrawlScope::from_host("example.com"),
            schema: None,
            vitals: &[],
            keywords: &[],
            has_traffic: None,
        };
        let issues = page_issues(page, &context).into_iter();
        issues.map(|it| it.code).collect()
    }

    fn shown(page: &RenderedPage) -> PageContent {
        PageContent {
            rendered: Some(Rendered::Shown(page.clone())),
            ..PageContent::blank("https://example.com/x")
        }
    }

    #[test]
    fn robots_rules_set_by_a_script_count() {
        let plain = shown(&RenderedPage::default());
        assert!(plain.is_indexable() && !codes(&plain).contains(&IssueCode::Noindex));
        let hidden = shown(&RenderedPage {
            noindex: true,
            ..RenderedPage::default()
        });
        assert!(!hidden.is_indexable() && hidden.is_indexable_as_sent());
        assert!(codes(&hidden).contains(&IssueCode::Noindex));
        let moved = shown(&RenderedPage {
            canonical: Some("https://example.com/y".into()),
            names_another: true,
            ..RenderedPage::default()
        });
        assert!(!moved.is_indexable() && !moved.is_canonical());
        let itself = shown(&RenderedPage {
            canonical: Some("https://example.com/x".into()),
            ..RenderedPage::default()
        });
        assert!(itself.is_indexable());
        let unnamed = |page: &PageContent| codes(page).contains(&IssueCode::CanonicalMissing);
        assert!(unnamed(&plain) && !unnamed(&itself));
    }

    /// Debian's documentation names files of its build machine.
    #[test]
    fn a_non_web_canonical_keeps_the_page_indexable() {
        let mut page = PageContent::blank("https://example.com/x");
        page.canonicals.push(Canonical {
            raw: "file:///usr/share/doc/x.html".into(),
            url: None,
            is_absolute: false,
            has_fragment: false,
            source: TagSource::Head,
        });
        assert!(page.is_canonical() && page.is_indexable() && page.canonical().is_none());
        let codes: Vec<IssueCode> = { codes(&page).into_iter() }
            .filter(|it| it.as_str().starts_with("canonical"))
            .collect();
        assert_eq!(codes, [IssueCode::CanonicalToNon200]);
    }
}
