use super::{graph::SiteGraph, score::internal_scores};
use crate::observation::web_site::Discovery;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InLinks {
    pub count: u32,
    pub pages: u32,
    /// Of `pages`, with a followed link.
    pub following: u32,
    /// Of `pages`, with a `nofollow` link.
    pub nofollow: u32,
}

#[derive(Debug, Clone)]
pub struct LinkFacts {
    /// By page; links to itself do not count.
    pub inlinks: Vec<InLinks>,
    /// `PageRank` by page; the sum is 1.
    pub scores: Vec<f64>,
}

/// Followed links by page, each once, ascending, in one vector.
#[derive(Debug, Clone, Default)]
pub struct FollowedLinks {
    targets: Vec<u32>,
    /// By page: end of its part of `targets`.
    ends: Vec<usize>,
}

impl FollowedLinks {
    /// Adds the next page.
    pub fn push(&mut self, targets: impl Iterator<Item = u32>) {
        self.targets.extend(targets);
        self.ends.push(self.targets.len());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let own = &self.targets[start..*end];
            start = *end;
            own
        })
    }
}

impl LinkFacts {
    pub fn of(site: &SiteGraph) -> Self {
        let mut facts = Self {
            inlinks: vec![InLinks::default(); site.nodes.len()],
            scores: Vec::new(),
        };
        let mut all_followed = FollowedLinks::default();
        for (from, node) in site.nodes.iter().enumerate() {
            let mut targets: Vec<(usize, bool)> = Vec::new();
            for link in &node.links {
                if !site.urls.is_internal(link.target()) {
                    continue;
                }
                if let Some((to, _)) = site.final_page(link.target())
                    && to != from
                {
                    facts.inlinks[to].count += 1;
                    targets.push((to, !link.is_nofollow()));
                }
            }
            targets.sort_unstable();
            targets.dedup();
            let mut last = None;
            for &(to, follows) in &targets {
                let of = &mut facts.inlinks[to];
                of.pages += u32::from(last != Some(to));
                of.following += u32::from(follows);
                of.nofollow += u32::from(!follows);
                last = Some(to);
            }
            let followed = targets.iter().filter(|it| it.1 && !node.nofollow);
            let numbers = followed.filter_map(|it| u32::try_from(it.0).ok());
            all_followed.push(numbers);
        }
        facts.scores = internal_scores(&all_followed);
        facts
    }

    /// Without links to it, and not the start.
    pub fn is_orphan(&self, site: &SiteGraph, page: usize) -> bool {
        self.inlinks[page].pages == 0 && site.nodes[page].discovery != Discovery::Start
    }
}
