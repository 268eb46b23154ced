use super::{SiteIssueCollector, is_unavailable};
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{Resolved, SiteGraph, UrlId};
use std::collections::BTreeSet;

/// `confirmed` are external URLs that failed in an earlier audit too; sorted.
pub fn find(site: &SiteGraph, confirmed: &[UrlId], all: &mut SiteIssueCollector) {
    for node in &site.nodes {
        let others: BTreeSet<UrlId> = { node.canonicals.iter() }
            .filter(|it| **it != node.url)
            .copied()
            .collect();
        for canonical in others {
            let code = match site.resolve(canonical) {
                Resolved::Page(_, page) if page.noindex => IssueCode::CanonicalToNoindex,
                Resolved::Page(_, page) if page.is_canonicalized_elsewhere() => {
                    IssueCode::CanonicalChain
                }
                Resolved::Redirect(target, _) if target.is_success() => {
                    IssueCode::CanonicalToRedirect
                }
                Resolved::Redirect(target, _) | Resolved::Other(target)
                    if is_unavailable(site, canonical, target) =>
                {
                    IssueCode::CanonicalToNon200
                }
                _ => continue,
            };
            if code == IssueCode::CanonicalToNoindex {
                all.reported_noindex.insert(canonical);
            }
            let named = std::iter::once(canonical);
            if code == IssueCode::CanonicalToNon200 {
                all.add_broken(site, confirmed, node.url, code, named);
            } else {
                all.add_urls(site, node.url, code, named);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::info;
    use crate::findings::issues::issue::IssueCollector;
    use crate::observation::page_content::{Canonical, PageContent, TagSource};
    use crate::observation::web_site::CrawlScope;

    #[test]
    fn canonical_cycles_are_reported_with_advice() {
        let urls = ["https://example.com/a", "https://example.com/b"];
        let mut site = SiteGraph::new(urls[0], CrawlScope::from_host("example.com"));
        for (url, canonical) in [(urls[0], urls[1]), (urls[1], urls[0])] {
            let mut page = PageContent::blank(url);
            page.canonicals.push(Canonical {
                raw: canonical.into(),
                url: Some(canonical.into()),
                is_absolute: true,
                has_fragment: false,
                source: TagSource::Head,
            });
            site.add_page(&page);
        }
        let mut all = SiteIssueCollector::default();
        find(&site, &[], &mut all);
        let found = all.by_url.into_values().flat_map(IssueCollector::finished);
        let codes: Vec<IssueCode> = found.map(|it| it.code).collect();
        assert_eq!(codes, [IssueCode::CanonicalChain; 2]);
        assert!(info(codes[0]).what_to_do.contains("in a circle"));
    }
}
