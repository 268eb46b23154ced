use super::{SiteIssueCollector, is_unavailable};
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{PageNode, Resolved, SiteGraph, UrlId};
use std::collections::BTreeSet;

/// `confirmed` are external URLs that failed in an earlier audit too; sorted.
pub fn find(site: &SiteGraph, confirmed: &[UrlId], all: &mut SiteIssueCollector) {
    for node in &site.nodes {
        let others: BTreeSet<UrlId> = { node.hreflangs.iter() }
            .map(|it| it.url)
            .filter(|it| *it != node.url)
            .collect();
        if canonicalizes_to_alternate(node) {
            let url = site.urls.text(node.url).to_owned();
            all.issues_of(node.url)
                .add(IssueCode::HreflangToNoncanonical, url);
        }
        for url in others {
            if let Some(code) = alternate_issue(site, node, url) {
                if code == IssueCode::HreflangToNoindex {
                    all.reported_noindex.insert(url);
                }
                let named = std::iter::once(url);
                if code == IssueCode::HreflangToNon200 {
                    all.add_broken(site, confirmed, node.url, code, named);
                } else {
                    all.add_urls(site, node.url, code, named);
                }
            }
        }
    }
}

/// Whether the page is its own alternate and names another alternate as canonical (Lighthouse's audit `canonical`).
fn canonicalizes_to_alternate(node: &PageNode) -> bool {
    let names = |url: UrlId| node.hreflangs.iter().any(|it| it.url == url);
    let mut others = node.canonicals.iter().filter(|it| **it != node.url);
    names(node.url) && others.any(|it| names(*it))
}

/// The first problem; later ones would follow from it.
fn alternate_issue(site: &SiteGraph, node: &PageNode, url: UrlId) -> Option<IssueCode> {
    match site.resolve(url) {
        Resolved::Page(_, page) => {
            let returns = page.hreflangs.iter().any(|it| it.url == node.url);
            if page.noindex {
                Some(IssueCode::HreflangToNoindex)
            } else if page.is_canonicalized_elsewhere() {
                Some(IssueCode::HreflangToNoncanonical)
            } else {
                (!returns).then_some(IssueCode::HreflangNoReturn)
            }
        }
        Resolved::Redirect(target, _) if target.is_success() => Some(IssueCode::HreflangToRedirect),
        Resolved::Redirect(target, _) | Resolved::Other(target) => {
            is_unavailable(site, url, target).then_some(IssueCode::HreflangToNon200)
        }
        Resolved::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::issue::IssueCollector;
    use crate::observation::page_content::{Canonical, Hreflang, PageContent, TagSource};
    use crate::observation::web_site::CrawlScope;

    const OWN: &str = "https://example.com/en-ie";
    const OTHER: &str = "https://example.com/en";

    fn page(canonical: &str, alternates: &[&str]) -> PageContent {
        let mut page = PageContent::blank(OWN);
        page.canonicals.push(Canonical {
            raw: canonical.into(),
            url: Some(canonical.into()),
            is_absolute: true,
            has_fragment: false,
            source: TagSource::Head,
        });
        page.hreflangs = { alternates.iter() }
            .map(|it| Hreflang {
                code: "en".into(),
                raw: (*it).into(),
                url: Some((*it).into()),
                is_absolute: true,
                source: TagSource::Head,
            })
            .collect();
        page
    }

    /// The verdicts are those of Lighthouse 12.8.2 (`tests/oracles/lighthouse_seo.py`).
    #[test]
    fn an_alternate_with_another_canonical_is_reported() {
        let codes = |canonical: &str, alternates: &[&str]| {
            let mut site = SiteGraph::new(OWN, CrawlScope::from_host("example.com"));
            site.add_page(&page(canonical, alternates));
            let mut all = SiteIssueCollector::default();
            find(&site, &[], &mut all);
            let found = all.by_url.into_values().flat_map(IssueCollector::finished);
            found.map(|it| it.code).collect::<Vec<_>>()
        };
        let given_up = [IssueCode::HreflangToNoncanonical];
        assert_eq!(codes(OTHER, &[OWN, OTHER]), given_up);
        assert_eq!(codes(OWN, &[OWN, OTHER]), []);
        assert_eq!(codes(OTHER, &[OWN]), []);
        assert_eq!(codes(OTHER, &[OTHER]), []);
    }
}
