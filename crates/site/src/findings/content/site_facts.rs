use super::parts::{NearestPage, Uniqueness, saturating_u32};
use crate::findings::issues::{Issue, IssueCode, SiteIssues};
use crate::site_graph::{InLinks, LinkFacts, SiteGraph};
use crate::text::duplicates::Duplicates;
use std::{collections::HashMap, num::NonZeroU64};

/// URLs in a list of duplicates.
const MAX_URLS: usize = 20;

/// Site-level facts about one page; `Default` without a site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SiteFacts {
    pub inlinks: InLinks,
    pub is_orphan: bool,
    /// Internal `PageRank`, as a multiple of an even share.
    pub internal_score: Option<f64>,
    pub title_duplicates: Vec<String>,
    pub description_duplicates: Vec<String>,
    pub uniqueness: Uniqueness,
    /// Similarity to the most similar indexable page; `None` without a similar one.
    pub nearest_indexable: Option<f64>,
    /// Images larger than 500 kB.
    pub oversized_images: u32,
    pub issues: Vec<Issue>,
}

pub struct SiteIndex<'a> {
    site: &'a SiteGraph,
    links: &'a LinkFacts,
    duplicates: &'a Duplicates,
    issues: &'a SiteIssues,
    cluster_of: HashMap<usize, usize>,
    titles: Groups<NonZeroU64>,
    descriptions: Groups<NonZeroU64>,
    digests: Groups<[u8; 32]>,
}

/// Key and page number, sorted.
struct Groups<K> {
    members: Vec<(K, u32)>,
}

impl<K: Copy + Ord> Groups<K> {
    fn of(keys: impl Iterator<Item = Option<K>>) -> Self {
        let mut members: Vec<(K, u32)> = { keys.zip(0..) }
            .filter_map(|(key, number)| Some((key?, number)))
            .collect();
        members.sort_unstable();
        members.shrink_to_fit();
        Self { members }
    }

    /// The pages with a key, ascending.
    fn with(&self, key: Option<K>) -> impl ExactSizeIterator<Item = usize> {
        let from = self.members.partition_point(|it| Some(it.0) < key);
        let found = &self.members[from..];
        let to = found.partition_point(|it| Some(it.0) <= key);
        found[..to].iter().map(|it| it.1 as usize)
    }
}

impl<'a> SiteIndex<'a> {
    pub fn new(
        site: &'a SiteGraph,
        links: &'a LinkFacts,
        duplicates: &'a Duplicates,
        issues: &'a SiteIssues,
    ) -> Self {
        let mut index = Self {
            site,
            links,
            duplicates,
            issues,
            cluster_of: HashMap::new(),
            titles: Groups::of(site.nodes.iter().map(|it| it.title)),
            descriptions: Groups::of(site.nodes.iter().map(|it| it.description)),
            digests: Groups::of(site.nodes.iter().map(|it| it.digest)),
        };
        for (number, cluster) in duplicates.clusters.iter().enumerate() {
            let members = cluster.pages.iter().map(|it| (*it, number));
            index.cluster_of.extend(members);
        }
        index
    }

    pub fn pages_with_same_text(&self, page: usize) -> u32 {
        let digest = self.site.nodes.get(page).and_then(|it| it.digest);
        let same = self.digests.with(digest).len();
        u32::try_from(same.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    pub fn page_facts(&self, page: usize) -> SiteFacts {
        let Some(node) = self.site.nodes.get(page) else {
            return SiteFacts::default();
        };
        let others = |group: &mut dyn Iterator<Item = usize>| {
            let others = group.filter(|it| *it != page).take(MAX_URLS);
            others.map(|it| self.url(it)).collect::<Vec<_>>()
        };
        let nearest = self.duplicates.nearest.get(page).copied().flatten();
        let is_indexable = |it: usize| self.site.nodes.get(it).is_some_and(|it| it.is_indexable);
        let issues = self
            .issues
            .by_url
            .get(&node.url)
            .cloned()
            .unwrap_or_default();
        SiteFacts {
            inlinks: self.links.inlinks[page],
            is_orphan: self.links.is_orphan(self.site, page),
            internal_score: { self.links.scores.get(page) }
                .map(|it| it * to_f64(self.links.scores.len())),
            title_duplicates: others(&mut self.titles.with(node.title)),
            description_duplicates: others(&mut self.descriptions.with(node.description)),
            uniqueness: Uniqueness {
                exact_duplicates: others(&mut self.digests.with(node.digest)),
                nearest: nearest.map(|it| NearestPage {
                    url: self.url(it.page),
                    similarity: it.similarity,
                }),
                cluster_id: self.cluster_of.get(&page).map(|it| saturating_u32(it + 1)),
            },
            nearest_indexable: nearest
                .filter(|it| is_indexable(it.page))
                .map(|it| it.similarity),
            oversized_images: { issues.iter() }
                .find(|it| it.code == IssueCode::ImageLarge)
                .map_or(0, |it| it.count),
            issues,
        }
    }

    fn url(&self, page: usize) -> String {
        self.site.urls.text(self.site.nodes[page].url).to_owned()
    }
}

fn to_f64(number: usize) -> f64 {
    f64::from(saturating_u32(number))
}
