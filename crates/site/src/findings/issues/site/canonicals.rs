use super::{SiteFound, is_no_page};
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{Known, SiteGraph, UrlId};
use std::collections::BTreeSet;

/// `confirmed` are external URLs that failed in an earlier audit too; sorted.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::info;
    use crate::findings::issues::issue::Found;
    use crate::observation::page_content::{Canonical, PageContent, TagSource};
    use crate::observation::web_site::SiteScope;

    #[test]
    fn pages_that_name_each_other_are_told_and_what_to_do_names_the_circle() {
        let urls = ["https://example.com/a", "https://example.com/b"];
        let mut site = SiteGraph::new(urls[0], SiteScope::of_host("example.com"));
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
        let mut all = SiteFound::default();
        find(&site, &[], &mut all);
        let found = all.by_url.into_values().flat_map(Found::finished);
        let codes: Vec<IssueCode> = found.map(|it| it.code).collect();
        assert_eq!(codes, [IssueCode::CanonicalChain; 2]);
        assert!(info(codes[0]).what_to_do.contains("in a circle"));
    }
}
