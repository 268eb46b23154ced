//! Counts of a crawl's links.

use super::{
    judge::Judged,
    record::{BrokenLink, Confirmation},
    verdict::{Outcome, Verdict},
};
use crate::observation::web_site::{LimitHit, SiteObservation};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// Two-sided 95 %.
const Z: f64 = 1.959_964;

/// Counts of distinct link targets (URL with fragment). A target that different pages reach
/// differently counts once, with the worst outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrokenLinksSummary {
    /// HTML pages that were read.
    pub pages_crawled: u32,
    /// Targets that were judged: all but `notChecked`.
    pub checked: u32,
    /// Targets that work.
    pub ok: u32,
    /// Targets that do not work (suspects apart).
    pub broken: u32,
    /// Targets on other hosts that failed once and await a second check.
    pub suspect: u32,
    /// Targets that work after redirects.
    pub redirected: u32,
    /// Targets that are there, and not for everyone.
    pub restricted: u32,
    /// Targets of which the check brought no knowledge.
    pub unknown: u32,
    /// Targets that were not checked: robots.txt, other schemes, limits.
    pub not_checked: u32,
    /// `broken` / `checked`; null when nothing was checked.
    pub broken_rate: Option<f64>,
    /// Lower end of the 95 % Wilson interval; null unless limits made the crawl a sample.
    pub broken_rate_low: Option<f64>,
    /// Upper end of it.
    pub broken_rate_high: Option<f64>,
    /// Targets by verdict; those that were not checked because of limits have none.
    pub by_verdict: BTreeMap<Verdict, u32>,
    /// Links by severity of their records: error, warning, notice.
    pub listed: u32,
    /// Bounds that kept the crawl from seeing more.
    pub limits: BTreeSet<LimitHit>,
}

/// A count as the records carry it.
pub(super) fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}

impl BrokenLinksSummary {
    pub(super) fn of<'a>(
        site: &SiteObservation,
        judged: impl Iterator<Item = &'a Judged<'a>>,
        records: &[BrokenLink],
    ) -> Self {
        let mut worst: BTreeMap<&str, &Judged<'_>> = BTreeMap::new();
        for it in judged {
            let known = worst.entry(&it.target).or_insert(it);
            if weight(it) > weight(known) {
                *known = it;
            }
        }
        let suspects: BTreeSet<&str> = records
            .iter()
            .filter(|it| it.confirmation == Confirmation::Suspect)
            .map(|it| it.target_url.as_str())
            .collect();
        let of = |outcome: Outcome| {
            let matching = worst.values().filter(|it| it.outcome() == outcome);
            count(matching.count())
        };
        let suspect = count(suspects.len());
        let not_checked = of(Outcome::NotChecked);
        let checked = count(worst.len()) - not_checked;
        let broken = of(Outcome::Broken) - suspect;
        let sampled = !site.limits.is_empty() && checked > 0;
        let bounds = sampled.then(|| wilson(broken, checked));
        Self {
            pages_crawled: count(site.pages.len()),
            checked,
            ok: of(Outcome::Ok),
            broken,
            suspect,
            redirected: of(Outcome::Redirected),
            restricted: of(Outcome::Restricted),
            unknown: of(Outcome::Unknown),
            not_checked,
            broken_rate: (checked > 0).then(|| rounded(f64::from(broken) / f64::from(checked))),
            broken_rate_low: bounds.map(|it| rounded(it.0)),
            broken_rate_high: bounds.map(|it| rounded(it.1)),
            by_verdict: by_verdict(worst.values().copied()),
            listed: count(records.len()),
            limits: site.limits.clone(),
        }
    }
}

const fn weight_of(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::NotChecked => 0,
        Outcome::Ok => 1,
        Outcome::Redirected => 2,
        Outcome::Restricted => 3,
        Outcome::Unknown => 4,
        Outcome::Broken => 5,
    }
}

fn weight(judged: &Judged<'_>) -> (u8, Verdict) {
    (weight_of(judged.outcome()), judged.verdict)
}

fn by_verdict<'a>(judged: impl Iterator<Item = &'a Judged<'a>>) -> BTreeMap<Verdict, u32> {
    let mut counts = BTreeMap::new();
    for it in judged.filter(|it| !it.unasked || it.verdict.is_listed()) {
        *counts.entry(it.verdict).or_insert(0) += 1;
    }
    counts
}

/// The Wilson score interval of a proportion.
fn wilson(successes: u32, trials: u32) -> (f64, f64) {
    let n = f64::from(trials);
    let p = f64::from(successes) / n;
    let square = Z * Z;
    let centre = (p + square / (2.0 * n)) / (1.0 + square / n);
    let root = (p * (1.0 - p) / n + square / (4.0 * n * n)).sqrt();
    let half = Z * root / (1.0 + square / n);
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

/// Six decimals; rates are rounded when they are published.
fn rounded(rate: f64) -> f64 {
    (rate * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_bounds_are_those_of_the_specification() {
        // spec/analysis.md 1.4, from statsmodels' proportion_confint(method="wilson").
        for (k, n, low, high) in [
            (0, 5, 0.0, 0.4345),
            (3, 10, 0.1078, 0.6032),
            (10, 20, 0.2993, 0.7007),
            (50, 100, 0.4038, 0.5962),
        ] {
            let bounds = wilson(k, n);
            assert!(
                (bounds.0 - low).abs() < 5e-5 && (bounds.1 - high).abs() < 5e-5,
                "{k}/{n}: {bounds:?}"
            );
        }
    }
}
