use super::{SiteFound, is_no_page};
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{Known, PageCard, SiteGraph, UrlId};
use std::collections::BTreeSet;

/// `confirmed` are external URLs that failed in an earlier audit too; sorted.
pub fn find(site: &SiteGraph, confirmed: &[UrlId], all: &mut SiteFound) {
    for card in &site.cards {
        let others: BTreeSet<UrlId> = { card.hreflangs.iter() }
            .map(|it| it.url)
            .filter(|it| *it != card.url)
            .collect();
        if gives_itself_up(card) {
            let url = site.urls.text(card.url).to_owned();
            all.of(card.url).add(IssueCode::HreflangToNoncanonical, url);
        }
        for url in others {
            if let Some(code) = of_alternate(site, card, url) {
                if code == IssueCode::HreflangToNoindex {
                    all.told_noindex.insert(url);
                }
                let named = std::iter::once(url);
                if code == IssueCode::HreflangToNon200 {
                    all.add_broken(site, confirmed, card.url, code, named);
                } else {
                    all.add_urls(site, card.url, code, named);
                }
            }
        }
    }
}

/// Whether the page is its own alternate and names another alternate as canonical (Lighthouse's audit `canonical`).
fn gives_itself_up(card: &PageCard) -> bool {
    let names = |url: UrlId| card.hreflangs.iter().any(|it| it.url == url);
    let mut others = card.canonicals.iter().filter(|it| **it != card.url);
    names(card.url) && others.any(|it| names(*it))
}

/// The first problem; later ones would follow from it.
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
        Known::Redirect(target, _) | Known::Other(target) => {
            is_no_page(site, url, target).then_some(IssueCode::HreflangToNon200)
        }
        Known::Nothing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::issue::Found;
    use crate::observation::page_content::{Canonical, Hreflang, PageContent, TagSource};
    use crate::observation::web_site::SiteScope;

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
    fn an_alternate_that_names_another_one_as_canonical_gives_itself_up() {
        let codes = |canonical: &str, alternates: &[&str]| {
            let mut site = SiteGraph::new(OWN, SiteScope::of_host("example.com"));
            site.add_page(&page(canonical, alternates));
            let mut all = SiteFound::default();
            find(&site, &[], &mut all);
            let found = all.by_url.into_values().flat_map(Found::finished);
            found.map(|it| it.code).collect::<Vec<_>>()
        };
        let given_up = [IssueCode::HreflangToNoncanonical];
        assert_eq!(codes(OTHER, &[OWN, OTHER]), given_up);
        assert_eq!(codes(OWN, &[OWN, OTHER]), []);
        assert_eq!(codes(OTHER, &[OWN]), []);
        assert_eq!(codes(OTHER, &[OTHER]), []);
    }
}
