//! Who links to whom.

use super::{graph::SiteGraph, score::internal_scores};
use crate::observation::web_site::Discovery;

/// Links to a page from others of the site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InLinks {
    /// All of them.
    pub count: u32,
    /// Pages that link to it.
    pub pages: u32,
    /// Of `pages`, those with a link that robots count.
    pub following: u32,
    /// Of `pages`, those with a link that robots are asked not to count.
    pub nofollow: u32,
}

/// Who links to whom, by the numbers of pages.
#[derive(Debug, Clone)]
pub struct LinkFacts {
    /// Links to each page; its links to itself are not counted.
    pub inlinks: Vec<InLinks>,
    /// The weight that the site's links give each page, together 1.
    pub scores: Vec<f64>,
}

/// The pages that each page leads robots to, each once, ascending: one behind the other.
#[derive(Debug, Clone, Default)]
pub struct Followed {
    targets: Vec<u32>,
    /// By page: where in `targets` its own end.
    ends: Vec<usize>,
}

impl Followed {
    /// Adds those of the next page.
    pub fn push(&mut self, targets: impl Iterator<Item = u32>) {
        self.targets.extend(targets);
        self.ends.push(self.targets.len());
    }

    /// How many pages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The targets of each page.
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
    /// Counts the links of a site.
    #[must_use]
    pub fn of(site: &SiteGraph) -> Self {
        let mut facts = Self {
            inlinks: vec![InLinks::default(); site.cards.len()],
            scores: Vec::new(),
        };
        let mut all_followed = Followed::default();
        for (from, card) in site.cards.iter().enumerate() {
            let mut targets: Vec<(usize, bool)> = Vec::new();
            for link in &card.links {
                if !site.urls.is_internal(link.target()) {
                    continue;
                }
                if let Some((to, _)) = site.page_behind(link.target())
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
            let followed = targets.iter().filter(|it| it.1 && !card.nofollow);
            let numbers = followed.filter_map(|it| u32::try_from(it.0).ok());
            all_followed.push(numbers);
        }
        facts.scores = internal_scores(&all_followed);
        facts
    }

    /// Whether no page links to a page, and it is not where the crawl began.
    #[must_use]
    pub fn is_orphan(&self, site: &SiteGraph, page: usize) -> bool {
        self.inlinks[page].pages == 0 && site.cards[page].discovery != Discovery::Start
    }
}
