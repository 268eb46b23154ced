use super::{Fingerprint, MIN_NEAR_SIMILARITY, bands::candidates};
use std::collections::BTreeMap;

/// A connected component: two members may be less similar than [`MIN_NEAR_SIMILARITY`].
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// Positions, ascending.
    pub pages: Vec<usize>,
    /// All digests are equal.
    pub exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    pub page: usize,
    /// Jaccard similarity; 1 for equal digests.
    pub similarity: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Duplicates {
    /// At least two pages each, ordered by the first page.
    pub clusters: Vec<Cluster>,
    /// `None` without a candidate: likely below a similarity of 0.6, nearly impossible from 0.9 on.
    pub nearest: Vec<Option<Nearest>>,
    /// Every candidate pair was compared; if not, many pages share a template, and members may be missing.
    pub complete: bool,
}

/// `None`: a page without text. `similarity` gives the exact Jaccard similarity of two positions; called for one page
/// per digest only.
pub fn clusters(
    pages: &[Option<Fingerprint>],
    mut similarity: impl FnMut(usize, usize) -> f64,
) -> Duplicates {
    let mut groups: BTreeMap<[u8; 32], Vec<usize>> = BTreeMap::new();
    for (at, page) in pages.iter().enumerate() {
        if let Some(page) = page {
            groups.entry(page.digest).or_default().push(at);
        }
    }
    let mut firsts: Vec<usize> = groups
        .values()
        .filter_map(|it| it.first().copied())
        .collect();
    firsts.sort_unstable();
    let different: Vec<(usize, &Fingerprint)> = firsts
        .into_iter()
        .filter_map(|at| Some((at, pages[at].as_ref()?)))
        .collect();

    let mut found = ClusterSearch::new(pages.len());
    let left_out = candidates(&different, |one, other| {
        found.add_comparison(one, other, similarity(one, other));
    });
    for group in groups.values().filter(|it| it.len() > 1) {
        found.join_identical(group);
    }
    Duplicates {
        clusters: found.clusters(pages),
        nearest: found.nearest,
        complete: !left_out,
    }
}

struct ClusterSearch {
    parents: Vec<usize>,
    nearest: Vec<Option<Nearest>>,
}

impl ClusterSearch {
    fn new(pages: usize) -> Self {
        Self {
            parents: (0..pages).collect(),
            nearest: vec![None; pages],
        }
    }

    fn add_comparison(&mut self, one: usize, other: usize, similarity: f64) {
        self.keep_nearest(one, other, similarity);
        self.keep_nearest(other, one, similarity);
        if similarity >= MIN_NEAR_SIMILARITY {
            self.join(one, other);
        }
    }

    /// Sets the next page of the group as each page's nearest.
    fn join_identical(&mut self, group: &[usize]) {
        for (one, other) in group.iter().zip(group.iter().cycle().skip(1)) {
            self.nearest[*one] = Some(Nearest {
                page: *other,
                similarity: 1.0,
            });
            self.join(*one, *other);
        }
    }

    fn keep_nearest(&mut self, page: usize, other: usize, similarity: f64) {
        if self.nearest[page].is_none_or(|it| similarity > it.similarity) {
            let nearest = Nearest {
                page: other,
                similarity,
            };
            self.nearest[page] = Some(nearest);
        }
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other)] = one.min(other);
    }

    fn root(&mut self, mut page: usize) -> usize {
        while self.parents[page] != page {
            self.parents[page] = self.parents[self.parents[page]];
            page = self.parents[page];
        }
        page
    }

    fn clusters(&mut self, pages: &[Option<Fingerprint>]) -> Vec<Cluster> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for page in 0..self.parents.len() {
            members.entry(self.root(page)).or_default().push(page);
        }
        let digest = |it: usize| pages[it].as_ref().map(|it| it.digest);
        let clusters = members.into_values().filter(|it| it.len() > 1);
        clusters
            .map(|pages| Cluster {
                exact: pages.iter().all(|it| digest(*it) == digest(pages[0])),
                pages,
            })
            .collect()
    }
}
