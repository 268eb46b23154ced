//! What the site tells of one of its pages.

use super::parts::{NearestPage, Uniqueness, small};
use crate::{
    findings::issues::{Issue, IssueCode, SiteIssues},
    site_graph::{InLinks, LinkFacts, SiteGraph, internal_scores},
    text::duplicates::Duplicates,
};
use std::collections::HashMap;

/// Addresses that a list holds at the most.
const MOST_URLS: usize = 20;

/// What the site tells of one page; `Default` for a page that stands alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SiteFacts {
    /// Links to it.
    pub inlinks: InLinks,
    /// No page links to it.
    pub is_orphan: bool,
    /// The weight that the site's links give it, as a multiple of an even share.
    pub internal_score: Option<f64>,
    /// Other pages with its title.
    pub title_duplicates: Vec<String>,
    /// Other pages with its description.
    pub description_duplicates: Vec<String>,
    /// How alike others are.
    pub uniqueness: Uniqueness,
    /// Likeness to the indexable page that is most like it; `None` where none is alike.
    pub nearest_indexable: Option<f64>,
    /// Images larger than 500 kB.
    pub oversized_images: u32,
    /// The issues that the site tells of it.
    pub issues: Vec<Issue>,
}

/// Answers for every page of a site.
pub struct SiteIndex<'a> {
    site: &'a SiteGraph,
    links: &'a LinkFacts,
    duplicates: &'a Duplicates,
    issues: &'a SiteIssues,
    scores: Vec<f64>,
    cluster_of: HashMap<usize, usize>,
    titles: HashMap<u64, Vec<usize>>,
    descriptions: HashMap<u64, Vec<usize>>,
    digests: HashMap<[u8; 32], Vec<usize>>,
}

impl<'a> SiteIndex<'a> {
    /// Prepares the answers.
    #[must_use]
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
            scores: internal_scores(links),
            cluster_of: HashMap::new(),
            titles: HashMap::new(),
            descriptions: HashMap::new(),
            digests: HashMap::new(),
        };
        for (number, cluster) in duplicates.clusters.iter().enumerate() {
            let members = cluster.pages.iter().map(|it| (*it, number));
            index.cluster_of.extend(members);
        }
        for (number, card) in site.cards.iter().enumerate() {
            if let Some(title) = card.title {
                index.titles.entry(title).or_default().push(number);
            }
            if let Some(description) = card.description {
                index
                    .descriptions
                    .entry(description)
                    .or_default()
                    .push(number);
            }
            if let Some(fingerprint) = &card.fingerprint {
                index
                    .digests
                    .entry(fingerprint.digest)
                    .or_default()
                    .push(number);
            }
        }
        index
    }

    /// How many other pages have exactly its main text.
    #[must_use]
    pub fn pages_with_same_text(&self, page: usize) -> u32 {
        let card = self.site.cards.get(page);
        let digest = card
            .and_then(|it| it.fingerprint.as_ref())
            .map(|it| it.digest);
        let same = digest.and_then(|it| self.digests.get(&it));
        same.map_or(0, |it| {
            u32::try_from(it.len().saturating_sub(1)).unwrap_or(u32::MAX)
        })
    }

    /// What the site tells of a page, by its number.
    #[must_use]
    pub fn of(&self, page: usize) -> SiteFacts {
        let Some(card) = self.site.cards.get(page) else {
            return SiteFacts::default();
        };
        let others = |group: Option<&Vec<usize>>| {
            let others = group.into_iter().flatten().filter(|it| **it != page);
            others
                .take(MOST_URLS)
                .map(|it| self.url(*it))
                .collect::<Vec<_>>()
        };
        let nearest = self.duplicates.nearest.get(page).copied().flatten();
        let is_indexable = |it: usize| self.site.cards.get(it).is_some_and(|it| it.is_indexable);
        let digest = card.fingerprint.as_ref().map(|it| it.digest);
        let issues = self
            .issues
            .by_url
            .get(&card.url)
            .cloned()
            .unwrap_or_default();
        SiteFacts {
            inlinks: self.links.inlinks[page],
            is_orphan: self.links.is_orphan(self.site, page),
            internal_score: self
                .scores
                .get(page)
                .map(|it| it * count(self.scores.len())),
            title_duplicates: others(card.title.and_then(|it| self.titles.get(&it))),
            description_duplicates: others(
                card.description.and_then(|it| self.descriptions.get(&it)),
            ),
            uniqueness: Uniqueness {
                exact_duplicates: others(digest.and_then(|it| self.digests.get(&it))),
                nearest: nearest.map(|it| NearestPage {
                    url: self.url(it.page),
                    similarity: it.similarity,
                }),
                cluster_id: self.cluster_of.get(&page).map(|it| small(it + 1)),
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
        self.site.urls.text(self.site.cards[page].url).to_owned()
    }
}

fn count(number: usize) -> f64 {
    f64::from(small(number))
}
