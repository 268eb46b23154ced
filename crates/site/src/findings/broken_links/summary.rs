use super::target_index::TargetIndex;
use super::verdict::{Outcome, Verdict};
use crate::{ToSchema, observation::web_site::LimitHit, statistics::wilson::wilson};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Counts of distinct link targets (URL with fragment). A target that different pages reach
/// differently counts once, with the worst outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrokenLinksSummary {
    /// HTML pages that were read.
    pub pages_crawled: u32,
    /// Targets that were evaluated: all but `notChecked`.
    pub checked: u32,
    /// Targets that work.
    pub ok: u32,
    /// Targets that do not work (suspects apart).
    pub broken: u32,
    /// Targets on other hosts that failed once and await a second check.
    pub suspect: u32,
    /// Targets that work after redirects.
    pub redirected: u32,
    /// Targets that exist, but deny access to some clients.
    pub restricted: u32,
    /// Targets of which the check brought no knowledge.
    pub unknown: u32,
    /// Targets that were not checked: robots.txt, other schemes, limits.
    pub not_checked: u32,
    /// `broken` / (`checked` − `unknown`); null when that is nothing.
    pub broken_rate: Option<f64>,
    /// Lower end of the 95 % Wilson interval; null unless limits (all but `crawlDelay`) made the crawl a
    /// sample.
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

crate::json!(BrokenLinksSummary);

pub(super) fn saturating_u32(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}

impl BrokenLinksSummary {
    pub(super) fn of(links: &TargetIndex, now: DateTime<Utc>) -> Self {
        let mut outcomes: BTreeMap<Outcome, u32> = BTreeMap::new();
        let mut by_verdict: BTreeMap<Verdict, u32> = BTreeMap::new();
        let (mut targets, mut suspect) = (0_u32, 0);
        for (number, summary) in links.linked_targets() {
            targets = targets.saturating_add(1);
            suspect += u32::from(links.is_suspect(number, summary, now));
            let Some(worst) = summary.worst else { continue };
            *outcomes.entry(worst.outcome).or_default() += 1;
            if !worst.unchecked || worst.verdict.is_listed() {
                *by_verdict.entry(worst.verdict).or_default() += 1;
            }
        }
        let of = |outcome: Outcome| outcomes.get(&outcome).copied().unwrap_or_default();
        let not_checked = of(Outcome::NotChecked);
        let checked = targets - not_checked;
        let broken = of(Outcome::Broken) - suspect;
        let limits = &links.index.limits;
        let unknown = of(Outcome::Unknown);
        // Unknown targets count neither as broken nor as working.
        let known = checked - unknown;
        let is_sample = limits.iter().any(|it| it.truncates_crawl());
        let bounds = wilson(broken.into(), known.into()).filter(|_| is_sample);
        Self {
            pages_crawled: saturating_u32(links.index.pages.len()),
            checked,
            ok: of(Outcome::Ok),
            broken,
            suspect,
            redirected: of(Outcome::Redirected),
            restricted: of(Outcome::Restricted),
            unknown,
            not_checked,
            broken_rate: (known > 0).then(|| rounded(f64::from(broken) / f64::from(known))),
            broken_rate_low: bounds.map(|it| rounded(it.low)),
            broken_rate_high: bounds.map(|it| rounded(it.high)),
            by_verdict,
            listed: u32::try_from(links.listed).unwrap_or(u32::MAX),
            limits: limits.clone(),
        }
    }
}

/// Published rates have six decimals.
fn rounded(rate: f64) -> f64 {
    (rate * 1e6).round() / 1e6
}
