use super::{AdvantageKeyword, GapKeyword, TOP};
use crate::search_panel::{DomainId, OWN, Panel, PanelKeyword, Standing};
use std::collections::HashMap;

const MAX_LISTED: usize = 50;
/// A domain ranks for a keyword down to this position.
const FIRST_PAGE_POSITION: u32 = 10;

#[derive(Debug, Default)]
pub(super) struct Differences {
    pub gaps: Vec<GapKeyword>,
    pub gap_count: u64,
    pub advantages: Vec<AdvantageKeyword>,
    pub advantage_count: u64,
}

pub(super) fn differences(
    panel: &Panel<'_>,
    domains: &[DomainId],
) -> HashMap<DomainId, Differences> {
    let mut found: HashMap<DomainId, Differences> = domains
        .iter()
        .map(|domain| (*domain, Differences::default()))
        .collect();
    for keyword in panel.keywords() {
        let standings = panel.standings(keyword);
        let own = standings.iter().find(|it| it.domain == OWN);
        for standing in standings
            .iter()
            .filter(|it| it.position <= FIRST_PAGE_POSITION)
        {
            if let Some(differences) = found.get_mut(&standing.domain) {
                differences.gaps.extend(gap(keyword, standing, own));
            }
        }
        let Some(own) = own.filter(|it| it.position <= FIRST_PAGE_POSITION) else {
            continue;
        };
        // Includes domains that are not on the page.
        for (domain, differences) in &mut found {
            let theirs = standings
                .binary_search_by_key(domain, |it| it.domain)
                .ok()
                .map(|at| standings[at]);
            differences
                .advantages
                .extend(advantage(keyword, *own, theirs));
        }
    }
    for differences in found.values_mut() {
        differences.truncate();
    }
    found
}

/// Whether a domain is known to be below the top: seen there, or not found within that depth.
fn lacks(position: Option<u32>, keyword: &PanelKeyword) -> bool {
    position.map_or(keyword.depth_checked >= TOP, |position| position > TOP)
}

fn gap(keyword: &PanelKeyword, theirs: &Standing, own: Option<&Standing>) -> Option<GapKeyword> {
    let ours = own.map(|it| it.position);
    let current = own.map_or(0.0, |it| it.share);
    lacks(ours, keyword).then(|| GapKeyword {
        keyword_id: keyword.topic.keyword_id,
        keyword: keyword.topic.keyword.clone(),
        their_position: theirs.position,
        our_position: ours,
        potential_clicks: per_month(keyword, (keyword.top_share - current).max(0.0)),
    })
}

fn advantage(
    keyword: &PanelKeyword,
    own: Standing,
    theirs: Option<Standing>,
) -> Option<AdvantageKeyword> {
    let their_position = theirs.map(|it| it.position);
    lacks(their_position, keyword).then(|| AdvantageKeyword {
        keyword_id: keyword.topic.keyword_id,
        keyword: keyword.topic.keyword.clone(),
        our_position: own.position,
        their_position,
        estimated_clicks: per_month(keyword, own.share),
    })
}

#[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
fn per_month(keyword: &PanelKeyword, share: f64) -> Option<f64> {
    keyword
        .topic
        .search_volume
        .map(|volume| volume as f64 * share)
}

impl Differences {
    fn truncate(&mut self) {
        self.gap_count = self.gaps.len() as u64;
        self.advantage_count = self.advantages.len() as u64;
        self.gaps.sort_by(|one, other| {
            by_clicks_descending(one.potential_clicks, other.potential_clicks)
                .then(one.their_position.cmp(&other.their_position))
                .then(one.keyword_id.cmp(&other.keyword_id))
        });
        self.advantages.sort_by(|one, other| {
            by_clicks_descending(one.estimated_clicks, other.estimated_clicks)
                .then(one.our_position.cmp(&other.our_position))
                .then(one.keyword_id.cmp(&other.keyword_id))
        });
        self.gaps.truncate(MAX_LISTED);
        self.advantages.truncate(MAX_LISTED);
    }
}

/// Descending; unknown clicks last.
fn by_clicks_descending(one: Option<f64>, other: Option<f64>) -> std::cmp::Ordering {
    let known = |clicks: Option<f64>| clicks.unwrap_or(-1.0);
    known(other).total_cmp(&known(one))
}
