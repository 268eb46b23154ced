use super::{CannibalizationInput, CompetingUrl, PageFacts, ShareBasis, groups::SnapshotWindow};
use crate::ctr::ctr;
use crate::statistics::concentration::{Concentration, concentration};

/// Pages with a smaller share do not compete.
const MIN_SHARE: f64 = 0.05;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Split {
    /// Largest share first, with the number of the page.
    pub urls: Vec<(usize, CompetingUrl)>,
    pub basis: ShareBasis,
    /// (1 − HHI)·n/(n − 1) over the n pages of a share of 5 % or more.
    pub evenness: f64,
    pub concentration: Option<Concentration>,
}

pub(super) fn split(input: &CannibalizationInput<'_>, sights: &SnapshotWindow) -> Split {
    let mut urls: Vec<(usize, CompetingUrl)> = (0..sights.pages.len())
        .filter_map(|page| Some((page, competing_url(input, sights, page)?)))
        .collect();
    let basis = basis(&urls);
    let weights: Vec<f64> = urls.iter().map(|(_, url)| weight(url, basis)).collect();
    let total: f64 = weights.iter().sum();
    for ((_, url), weight) in urls.iter_mut().zip(weights) {
        url.share = if total > 0.0 { weight / total } else { 0.0 };
    }
    urls.sort_by(|(_, one), (_, other)| {
        other
            .share
            .total_cmp(&one.share)
            .then(one.average_position.total_cmp(&other.average_position))
            .then_with(|| one.url.cmp(&other.url))
    });
    let counted: Vec<f64> = competing(&urls).map(|url| url.share).collect();
    let concentration = concentration(&counted);
    Split {
        evenness: concentration.map_or(0.0, |it| evenness(it.hhi, counted.len())),
        urls,
        basis,
        concentration,
    }
}

fn competing(urls: &[(usize, CompetingUrl)]) -> impl Iterator<Item = &CompetingUrl> {
    let urls = urls.iter().map(|(_, url)| url);
    urls.filter(|url| url.share >= MIN_SHARE - 1e-12)
}

impl Split {
    /// The pages with a share large enough to compete, largest first.
    pub(super) fn competing(&self) -> impl Iterator<Item = &CompetingUrl> {
        competing(&self.urls)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of URLs")]
fn evenness(hhi: f64, n: usize) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let n = n as f64;
    ((1.0 - hhi) * n / (n - 1.0)).clamp(0.0, 1.0)
}

/// A page's figures over the window; `None` if it was in no snapshot.
fn competing_url(
    input: &CannibalizationInput<'_>,
    sights: &SnapshotWindow,
    page: usize,
) -> Option<CompetingUrl> {
    let (url, keys) = &sights.pages[page];
    let places = || sights.snapshots.iter().flat_map(|it| &it.positions);
    let positions: Vec<f64> = places()
        .filter(|place| place.page == page)
        .map(|place| f64::from(place.position))
        .collect();
    let best = places()
        .filter(|place| place.page == page)
        .map(|place| place.position)
        .min()?;
    let as_best = |sight: &&super::groups::PageSnapshot| {
        sight
            .positions
            .first()
            .is_some_and(|place| place.page == page)
    };
    let snapshots_as_best = sights.snapshots.iter().filter(as_best).count();
    let facts = || keys.iter().filter_map(|key| input.pages.get(key));
    let sum = |part: fn(&PageFacts) -> Option<u64>| {
        facts()
            .filter_map(part)
            .fold(None, |sum: Option<u64>, more| {
                Some(sum.unwrap_or(0).saturating_add(more))
            })
    };
    let own_facts = input.pages.get(&crate::url_rules::page_key(url));
    Some(CompetingUrl {
        url: url.clone(),
        title: own_facts.and_then(|it| it.title.clone()),
        share: 0.0,
        clicks: sum(|it| it.clicks),
        impressions: sum(|it| it.impressions),
        average_position: crate::statistics::describe::mean(&positions)?,
        best_position: best,
        snapshots_as_best: u32::try_from(snapshots_as_best).unwrap_or(u32::MAX),
        intent: own_facts.and_then(|it| it.intent),
        word_count: own_facts.and_then(|it| it.word_count),
    })
}

/// Clicks if any were imported, else impressions, else expected clicks.
fn basis(urls: &[(usize, CompetingUrl)]) -> ShareBasis {
    let any = |part: fn(&CompetingUrl) -> Option<u64>| {
        urls.iter()
            .filter_map(|(_, url)| part(url))
            .any(|it| it > 0)
    };
    if any(|url| url.clicks) {
        ShareBasis::Clicks
    } else if any(|url| url.impressions) {
        ShareBasis::Impressions
    } else {
        ShareBasis::ExpectedCtr
    }
}

#[expect(clippy::cast_precision_loss, reason = "clicks are far below 2^52")]
fn weight(url: &CompetingUrl, basis: ShareBasis) -> f64 {
    match basis {
        ShareBasis::Clicks => url.clicks.unwrap_or(0) as f64,
        ShareBasis::Impressions => url.impressions.unwrap_or(0) as f64,
        ShareBasis::ExpectedCtr => interpolated_ctr(url.average_position),
    }
}

/// The published curve, linear between positions.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions are small and positive"
)]
fn interpolated_ctr(position: f64) -> f64 {
    let (above, below) = (position.floor(), position.ceil());
    let (high, low) = (ctr(above as u32), ctr(below as u32));
    high + (low - high) * (position - above)
}
