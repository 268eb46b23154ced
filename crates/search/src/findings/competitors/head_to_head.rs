use super::TOP;
use crate::search_panel::{OWN, Panel, PanelKeyword, Standing};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct HeadToHead {
    /// Keywords for which the domain is in the top.
    pub keywords: u64,
    /// Keywords for which both are in the top.
    pub common: u64,
    /// Twice its wins, so that a tie counts one.
    pub halves_won: u64,
    /// Sums of both positions over the common keywords.
    pub own_positions: u64,
    pub their_positions: u64,
    /// Its clicks, and Σ min of both clicks, over all keywords.
    pub clicks: f64,
    pub shared_clicks: f64,
}

#[derive(Debug)]
pub(super) struct HeadToHeads {
    /// By domain id; the project is the first.
    pub by_domain: Vec<HeadToHead>,
    pub clicks: f64,
}

impl HeadToHeads {
    /// For all domains of the panel, weighted by volume or equally.
    pub fn new(panel: &Panel<'_>, by_volume: bool) -> Self {
        let mut duels = vec![HeadToHead::default(); panel.domain_count()];
        for keyword in panel.keywords() {
            let weight = weight(keyword, by_volume);
            let standings = panel.standings(keyword);
            let own = standings.iter().find(|it| it.domain == OWN);
            for standing in standings {
                duels[standing.domain as usize].add_keyword(standing, own, weight);
            }
        }
        let clicks = duels.iter().map(|duel| duel.clicks).sum();
        Self {
            by_domain: duels,
            clicks,
        }
    }

    pub fn own(&self) -> HeadToHead {
        self.by_domain
            .get(OWN as usize)
            .copied()
            .unwrap_or_default()
    }
}

#[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
pub(super) fn weight(keyword: &PanelKeyword, by_volume: bool) -> f64 {
    if by_volume {
        keyword.topic.search_volume.unwrap_or(0) as f64
    } else {
        1.0
    }
}

impl HeadToHead {
    fn add_keyword(&mut self, theirs: &Standing, own: Option<&Standing>, weight: f64) {
        self.clicks += weight * theirs.share;
        if let Some(own) = own {
            self.shared_clicks += weight * theirs.share.min(own.share);
        }
        if theirs.position > TOP {
            return;
        }
        self.keywords += 1;
        let Some(own) = own.filter(|own| own.position <= TOP) else {
            return;
        };
        self.common += 1;
        self.own_positions += u64::from(own.position);
        self.their_positions += u64::from(theirs.position);
        self.halves_won += match theirs.position.cmp(&own.position) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 0,
        };
    }

    /// Jaccard: common keywords by those of either.
    pub fn keyword_overlap(&self, own_keywords: u64) -> Option<f64> {
        ratio(self.common, own_keywords + self.keywords - self.common)
    }

    /// Weighted Jaccard: Σ min / Σ max of the clicks, where max = sum − min.
    pub fn traffic_overlap(&self, own_clicks: f64) -> Option<f64> {
        let either = own_clicks + self.clicks - self.shared_clicks;
        (either > 0.0).then(|| (self.shared_clicks / either).clamp(0.0, 1.0))
    }

    pub fn win_rate(&self) -> Option<f64> {
        ratio(self.halves_won, 2 * self.common)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
