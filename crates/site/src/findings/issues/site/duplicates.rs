use super::SiteIssueCollector;
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{PageNode, SiteGraph, UrlId};
use crate::text::duplicates::Duplicates;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::NonZeroU64;

pub fn find(site: &SiteGraph, duplicates: &Duplicates, all: &mut SiteIssueCollector) {
    report_same(site, all, IssueCode::TitleDuplicate, |it| it.title);
    report_same(site, all, IssueCode::DescDuplicate, |it| it.description);
    report_same(site, all, IssueCode::H1Duplicate, |it| it.h1);
    for cluster in &duplicates.clusters {
        let members: Vec<&PageNode> = cluster
            .pages
            .iter()
            .filter_map(|it| site.nodes.get(*it))
            .filter(|it| is_reportable(site, it))
            .collect();
        report_cluster(site, &members, all);
    }
}

/// Whether a page's duplicates are an issue: it is indexable, and does not continue a paginated series.
fn is_reportable(site: &SiteGraph, node: &PageNode) -> bool {
    node.is_indexable && !site.continues_a_series(node)
}

/// Pages with something in common, in the site's order. The cost of a page depends on its `hreflang`, not on the group.
struct DuplicateGroup<'a> {
    pages: &'a [&'a PageNode],
    /// By page, its translations in the group (one names the other).
    translations: HashMap<UrlId, BTreeSet<UrlId>>,
}

impl<'a> DuplicateGroup<'a> {
    fn of(pages: &'a [&'a PageNode]) -> Self {
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
    fn others(&self, page: &PageNode) -> usize {
        let own = self.translations.get(&page.url).map_or(0, BTreeSet::len);
        self.pages.len().saturating_sub(1 + own)
    }

    /// Reports the others once: an occurrence is a page, not a pair of pages.
    fn report(
        &self,
        site: &SiteGraph,
        page: &PageNode,
        code: IssueCode,
        all: &mut SiteIssueCollector,
    ) {
        if self.others(page) == 0 {
            return;
        }
        let own = self.translations.get(&page.url);
        let others = { self.pages.iter().map(|it| it.url) }
            .filter(|it| *it != page.url && own.is_none_or(|own| !own.contains(it)));
        let named = others.map(|it| site.urls.text(it));
        all.issues_of(page.url).add_once(code, named);
    }
}

fn report_same(
    site: &SiteGraph,
    all: &mut SiteIssueCollector,
    code: IssueCode,
    of: impl Fn(&PageNode) -> Option<NonZeroU64>,
) {
    let mut groups: HashMap<NonZeroU64, Vec<&PageNode>> = HashMap::new();
    for node in site.nodes.iter().filter(|it| is_reportable(site, it)) {
        if let Some(hash) = of(node) {
            groups.entry(hash).or_default().push(node);
        }
    }
    for group in groups.values().filter(|it| it.len() > 1) {
        let alike = DuplicateGroup::of(group);
        for node in group {
            alike.report(site, node, code, all);
        }
    }
}

fn report_cluster(site: &SiteGraph, members: &[&PageNode], all: &mut SiteIssueCollector) {
    let near_duplicates = DuplicateGroup::of(members);
    let mut exact: BTreeMap<[u8; 32], Vec<&PageNode>> = BTreeMap::new();
    for node in members {
        if let Some(digest) = node.digest {
            exact.entry(digest).or_default().push(node);
        }
    }
    for group in exact.values() {
        let same = DuplicateGroup::of(group);
        for node in group {
            if same.others(node) > 0 {
                same.report(site, node, IssueCode::DuplicateExact, all);
            } else {
                near_duplicates.report(site, node, IssueCode::DuplicateNear, all);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::issues::issue::Issue;
    use crate::findings::sample_pages::set_title;
    use crate::observation::page_content::{Hreflang, PageContent, TagSource};
    use crate::observation::web_site::CrawlScope;
    use proptest::prelude::*;

    fn address(number: usize) -> String {
        format!("https://example.com/{number}")
    }

    /// Pages with the number of a title, and the pages named as translations.
    fn site(pages: &[(u8, Vec<usize>)]) -> SiteGraph {
        let mut site = SiteGraph::new(&address(0), CrawlScope::from_host("example.com"));
        for (number, (title, named)) in pages.iter().enumerate() {
            let mut page = PageContent::blank(&address(number));
            set_title(&mut page, &format!("Title {title}"));
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
        let mut all = SiteIssueCollector::default();
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
        let duplicates = (0..pages.len()).filter_map(|it| {
            let named: Vec<String> = others(it).take(5).map(address).collect();
            (!named.is_empty()).then(|| (address(it), (1, named.join("\n"))))
        });
        duplicates.collect()
    }

    proptest! {
        #[test]
        fn grouping_matches_pairwise_comparison(pages in prop::collection::vec((0_u8..3, prop::collection::vec(0_usize..14, 0..4)), 0..14)) {
            let grouped = found(&site(&pages)).into_iter().map(|(url, issues)| {
                assert_eq!(issues.len(), 1);
                (url, (issues[0].count, issues[0].detail.clone().unwrap()))
            });
            prop_assert_eq!(grouped.collect::<BTreeMap<_, _>>(), by_pairs(&pages));
        }
    }

    /// Four hundred million pairs.
    #[test]
    fn twenty_thousand_pages_with_one_title_are_fast() {
        let pages = vec![(0, Vec::new()); 20_000];
        let issues_by_url = found(&site(&pages));
        assert_eq!(issues_by_url.len(), pages.len());
        assert!(issues_by_url.values().all(|it| it[0].count == 1));
    }
}
