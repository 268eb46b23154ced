use super::SiteFound;
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{PageCard, SiteGraph, UrlId};
use crate::text::duplicates::Duplicates;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::NonZeroU64;

pub fn find(site: &SiteGraph, duplicates: &Duplicates, all: &mut SiteFound) {
    same(site, all, IssueCode::TitleDuplicate, |it| it.title);
    same(site, all, IssueCode::DescDuplicate, |it| it.description);
    same(site, all, IssueCode::H1Duplicate, |it| it.h1);
    for cluster in &duplicates.clusters {
        let members: Vec<&PageCard> = cluster
            .pages
            .iter()
            .filter_map(|it| site.cards.get(*it))
            .filter(|it| may_be_told(site, it))
            .collect();
        of_cluster(site, &members, all);
    }
}

/// Whether a page's duplicates are an issue: it is indexable, and does not continue a paginated series.
fn may_be_told(site: &SiteGraph, card: &PageCard) -> bool {
    card.is_indexable && !site.continues_a_series(card)
}

/// Pages with something in common, in the site's order. The cost of a page depends on its `hreflang`, not on the group.
struct Alike<'a> {
    pages: &'a [&'a PageCard],
    /// By page, its translations in the group (one names the other).
    translations: HashMap<UrlId, BTreeSet<UrlId>>,
}

impl<'a> Alike<'a> {
    fn of(pages: &'a [&'a PageCard]) -> Self {
        let members: HashSet<UrlId> = pages.iter().map(|it| it.url).collect();
        let mut translations: HashMap<UrlId, BTreeSet<UrlId>> = HashMap::new();
        for page in pages {
            for named in page.hreflangs.iter().map(|it| it.url) {
                if named != page.url && members.contains(&named) {
                    translations.entry(page.url).or_default().insert(named);
                    translations.entry(named).or_default().insert(page.url);
                }
            }
        }
        Self {
            pages,
            translations,
        }
    }

    /// Number of other pages except translations.
    fn others(&self, page: &PageCard) -> usize {
        let own = self.translations.get(&page.url).map_or(0, BTreeSet::len);
        self.pages.len().saturating_sub(1 + own)
    }

    /// Reports the others once: an occurrence is a page, not a pair of pages.
    fn tell(&self, site: &SiteGraph, page: &PageCard, code: IssueCode, all: &mut SiteFound) {
        if self.others(page) == 0 {
            return;
        }
        let own = self.translations.get(&page.url);
        let others = { self.pages.iter().map(|it| it.url) }
            .filter(|it| *it != page.url && own.is_none_or(|own| !own.contains(it)));
        let named = others.map(|it| site.urls.text(it));
        all.of(page.url).add_once(code, named);
    }
}

fn same(
    site: &SiteGraph,
    all: &mut SiteFound,
    code: IssueCode,
    of: impl Fn(&PageCard) -> Option<NonZeroU64>,
) {
    let mut groups: HashMap<NonZeroU64, Vec<&PageCard>> = HashMap::new();
    for card in site.cards.iter().filter(|it| may_be_told(site, it)) {
        if let Some(hash) = of(card) {
            groups.entry(hash).or_default().push(card);
        }
    }
    for group in groups.values().filter(|it| it.len() > 1) {
        let alike = Alike::of(group);
        for card in group {
            alike.tell(site, card, code, all);
        }
    }
}

fn of_cluster(site: &SiteGraph, members: &[&PageCard], all: &mut SiteFound) {
    let near = Alike::of(members);
    let mut exact: BTreeMap<[u8; 32], Vec<&PageCard>> = BTreeMap::new();
    for card in members {
        if let Some(digest) = card.digest {
            exact.entry(digest).or_default().push(card);
        }
    }
    for group in exact.values() {
        let same = Alike::of(group);
        for card in group {
            if same.others(card) > 0 {
                same.tell(site, card, IssueCode::DuplicateExact, all);
            } else {
                near.tell(site, card, IssueCode::DuplicateNear, all);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::issue::Issue;
    use crate::findings::sample_pages::entitle;
    use crate::observation::page_content::{Hreflang, PageContent, TagSource};
    use crate::observation::web_site::SiteScope;
    use proptest::prelude::*;

    fn address(number: usize) -> String {
        format!("https://example.com/{number}")
    }

    /// Pages with the number of a title, and the pages named as translations.
    fn site(pages: &[(u8, Vec<usize>)]) -> SiteGraph {
        let mut site = SiteGraph::new(&address(0), SiteScope::of_host("example.com"));
        for (number, (title, named)) in pages.iter().enumerate() {
            let mut page = PageContent::blank(&address(number));
            entitle(&mut page, &format!("Title {title}"));
            page.hreflangs = { named.iter() }
                .map(|it| Hreflang {
                    code: "de".into(),
                    raw: address(*it),
                    url: Some(address(*it)),
                    is_absolute: true,
                    source: TagSource::Head,
                })
                .collect();
            site.add_page(&page);
        }
        site
    }

    fn found(site: &SiteGraph) -> BTreeMap<String, Vec<Issue>> {
        let mut all = SiteFound::default();
        let alike = Duplicates {
            clusters: Vec::new(),
            nearest: Vec::new(),
            complete: true,
        };
        find(site, &alike, &mut all);
        let by_url = all.by_url.into_iter();
        by_url
            .map(|(url, found)| (site.urls.text(url).to_owned(), found.finished()))
            .filter(|(_, issues)| !issues.is_empty())
            .collect()
    }

    /// Reference by pairs of pages: the pages reported for each.
    fn by_pairs(pages: &[(u8, Vec<usize>)]) -> BTreeMap<String, (u32, String)> {
        let others = |one: usize| {
            let same =
                (0..pages.len()).filter(move |it| *it != one && pages[*it].0 == pages[one].0);
            same.filter(move |it| !pages[one].1.contains(it) && !pages[*it].1.contains(&one))
        };
        let told = (0..pages.len()).filter_map(|it| {
            let named: Vec<String> = others(it).take(5).map(address).collect();
            (!named.is_empty()).then(|| (address(it), (1, named.join("\n"))))
        });
        told.collect()
    }

    proptest! {
        #[test]
        fn the_same_is_told_as_pair_by_pair(pages in prop::collection::vec((0_u8..3, prop::collection::vec(0_usize..14, 0..4)), 0..14)) {
            let told = found(&site(&pages)).into_iter().map(|(url, issues)| {
                assert_eq!(issues.len(), 1);
                (url, (issues[0].count, issues[0].detail.clone().unwrap()))
            });
            prop_assert_eq!(told.collect::<BTreeMap<_, _>>(), by_pairs(&pages));
        }
    }

    /// Four hundred million pairs.
    #[test]
    fn twenty_thousand_pages_with_one_title_are_no_trouble() {
        let pages = vec![(0, Vec::new()); 20_000];
        let told = found(&site(&pages));
        assert_eq!(told.len(), pages.len());
        assert!(told.values().all(|it| it[0].count == 1));
    }
}
