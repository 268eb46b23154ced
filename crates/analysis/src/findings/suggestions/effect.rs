use super::record::{State, SuggestionRecord};
use super::rule::{EffectMetric, rule};
use crate::ToSchema;
use crate::findings::envelope::rounded;
use crate::statistics::describe::mean;
use crate::statistics::newcombe::newcombe;
use crate::statistics::welch::difference_of_means;
use crate::statistics::wilson::Interval;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Length of each side.
const WINDOW: TimeDelta = TimeDelta::days(28);
/// Weeks with values per side.
const MIN_WEEKS: usize = 3;
/// Impressions or answers per side; our choice.
const MIN_TRIALS: u64 = 30;
/// Until search engines have processed a change; our choice.
const SETTLING: TimeDelta = TimeDelta::days(7);
/// Field data cover the previous 28 days (`CrUX`).
const SETTLING_FIELD: TimeDelta = TimeDelta::days(28);

/// What came of a fix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SuggestionEffect)]
pub struct Effect {
    /// What was compared.
    pub metric: EffectMetric,
    /// The 28 days until the fault was last seen.
    pub before: EffectSide,
    /// The 28 days after the fix, once it could show.
    pub after: EffectSide,
    /// After less before; null while nothing was measured after.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub difference: Option<f64>,
    /// The lower end of its 95 % interval; null while too little was measured.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub high: Option<f64>,
    /// What that comes to.
    pub verdict: Verdict,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SuggestionEffectSide)]
pub struct EffectSide {
    /// The first moment.
    pub from: DateTime<Utc>,
    /// The last moment.
    pub to: DateTime<Utc>,
    /// The mean of the weeks' means, or successes per trial; null without any.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub value: Option<f64>,
    /// Observations, or trials.
    pub n: u64,
    /// Weeks with observations.
    pub weeks: u32,
}

/// What a comparison comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SuggestionVerdict)]
pub enum Verdict {
    /// The interval lies on the good side of 0.
    Improved,
    /// It holds 0: no difference was shown, as far as the interval reaches.
    Unchanged,
    /// It lies on the bad side.
    Worse,
    /// The time is not over, or too little was measured since.
    TooEarly,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    pub at: DateTime<Utc>,
    /// A position (depth plus one if unranked), clicks of a day, or a time.
    pub value: f64,
}

/// Successes among trials at a time: clicks among impressions of a day, answers that name the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trials {
    pub at: DateTime<Utc>,
    pub successes: u64,
    pub trials: u64,
}

#[derive(Debug, Clone, Copy)]
pub enum EffectSeries<'a> {
    /// Figures, for [`EffectMetric::Position`], [`EffectMetric::Clicks`], [`EffectMetric::Vitals`].
    Values(&'a [Observation]),
    /// Counts, for [`EffectMetric::Ctr`] and [`EffectMetric::MentionRate`].
    Rates(&'a [Trials]),
}

/// Sides are (value, count, weeks); the interval is of the difference.
struct Compared {
    sides: [(Option<f64>, u64, usize); 2],
    interval: Option<Interval>,
    is_enough: bool,
}

impl SuggestionRecord {
    pub fn effect_metric(&self) -> EffectMetric {
        let variant = self.variant.as_deref().unwrap_or_default();
        rule(&self.rule_id, variant).map_or(EffectMetric::None, |it| it.effect)
    }

    /// Compares figures before and after the fix, in any order: values by weekly means (days are autocorrelated) with
    /// Welch's t, counts by Newcombe's interval. `None` if not fixed, if the series does not fit the metric, or with
    /// too little data before.
    pub fn effect(&self, series: &EffectSeries<'_>, now: DateTime<Utc>) -> Option<Effect> {
        let fixed_at = self.fixed_at.filter(|_| self.state == State::Fixed)?;
        let metric = self.effect_metric();
        let settled = fixed_at + settling(metric, self.variant.as_deref());
        let windows = [
            (self.last_seen_at - WINDOW, self.last_seen_at),
            (settled, settled + WINDOW),
        ];
        let is_lower_better = match (metric, series) {
            (EffectMetric::Position | EffectMetric::Vitals, EffectSeries::Values(_)) => true,
            (EffectMetric::Clicks, EffectSeries::Values(_))
            | (EffectMetric::Ctr | EffectMetric::MentionRate, EffectSeries::Rates(_)) => false,
            _ => return None,
        };
        let compared = match series {
            EffectSeries::Values(all) => values(all, windows)?,
            EffectSeries::Rates(all) => rates(all, windows)?,
        };
        let is_over = now >= settled + WINDOW;
        let interval = compared.interval.filter(|_| compared.is_enough);
        let verdict = match interval {
            Some(it) if is_over && it.excludes(0.0) => {
                if (it.high < 0.0) == is_lower_better {
                    Verdict::Improved
                } else {
                    Verdict::Worse
                }
            }
            Some(_) if is_over => Verdict::Unchanged,
            _ => Verdict::TooEarly,
        };
        let side = |at: usize| {
            let (value, n, weeks) = compared.sides[at];
            EffectSide {
                from: windows[at].0,
                to: windows[at].1.min(now).max(windows[at].0),
                value,
                n,
                weeks: u32::try_from(weeks).unwrap_or(u32::MAX),
            }
        };
        let (before, after) = (side(0), side(1));
        Some(Effect {
            metric,
            difference: before.value.zip(after.value).map(|(was, is)| is - was),
            before,
            after,
            low: interval.map(|it| it.low),
            high: interval.map(|it| it.high),
            verdict,
        })
    }
}

fn settling(metric: EffectMetric, variant: Option<&str>) -> TimeDelta {
    match (metric, variant) {
        (EffectMetric::Vitals, Some("field")) => SETTLING_FIELD,
        (EffectMetric::Vitals, _) => TimeDelta::zero(),
        _ => SETTLING,
    }
}

type Windows = [(DateTime<Utc>, DateTime<Utc>); 2];

fn values(all: &[Observation], windows: Windows) -> Option<Compared> {
    let [before, after] = windows.map(|window| {
        let mut weeks: BTreeMap<i64, Vec<(DateTime<Utc>, f64)>> = BTreeMap::new();
        let within = all
            .iter()
            .filter(|it| it.at >= window.0 && it.at <= window.1);
        for it in within.filter(|it| it.value.is_finite()) {
            // The end of the window belongs to the last week.
            let week = ((it.at - window.0).num_days() / 7).min(WINDOW.num_days() / 7 - 1);
            weeks.entry(week).or_default().push((it.at, it.value));
        }
        let n: usize = weeks.values().map(Vec::len).sum();
        let means: Vec<f64> = { weeks.into_values() }
            .filter_map(|mut week| {
                // Sorted, since sums of floats depend on their order.
                week.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
                let values: Vec<f64> = week.into_iter().map(|it| it.1).collect();
                mean(&values)
            })
            .collect();
        (means, n as u64)
    });
    if before.0.len() < MIN_WEEKS {
        return None;
    }
    Some(Compared {
        interval: difference_of_means(&after.0, &before.0),
        is_enough: after.0.len() >= MIN_WEEKS,
        sides: [&before, &after].map(|(means, n)| (mean(means), *n, means.len())),
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn rates(all: &[Trials], windows: Windows) -> Option<Compared> {
    let [before, after] = windows.map(|window| {
        let within = || {
            all.iter()
                .filter(move |it| it.at >= window.0 && it.at <= window.1)
        };
        let successes: u64 = within().map(|it| it.successes.min(it.trials)).sum();
        let trials: u64 = within().map(|it| it.trials).sum();
        let weeks: std::collections::BTreeSet<i64> = { within() }
            .map(|it| (it.at - window.0).num_days() / 7)
            .collect();
        ((successes, trials), weeks.len())
    });
    if before.0.1 < MIN_TRIALS {
        return None;
    }
    let side = |it: &((u64, u64), usize)| {
        let ((successes, trials), weeks) = *it;
        let rate = (trials > 0).then(|| successes as f64 / trials as f64);
        (rate, trials, weeks)
    };
    Some(Compared {
        interval: newcombe(after.0, before.0),
        is_enough: after.0.1 >= MIN_TRIALS,
        sides: [side(&before), side(&after)],
    })
}
