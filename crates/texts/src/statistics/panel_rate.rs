//! A rate over a panel with repeated trials per member, and its change: the mean of the members' rates, since repeats
//! are correlated. On each side the wider interval counts: Wilson's (sampling of answers) or the bootstrap over
//! members (sampling of prompts), which alone would have width 0 for a panel of zeros.

use super::bootstrap::mean_of_few_clusters;
use super::describe::mean;
use super::wilson::{Interval, Z};
use super::{newcombe, wilson};
use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// For the bootstrap. It costs power (five members: 25 % of shifts by one logit are detected instead of 36 %), and
/// avoids false positives by drift (4 % instead of 9 %; `examples/ai_simulation.rs`).
pub const MIN_MEMBERS: usize = 5;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub hits: u64,
    pub trials: u64,
}

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiIntervalMethod)]
pub enum IntervalMethod {
    /// Wilson's interval (of a change: Newcombe's) alone.
    Score,
    /// The hull of that and of the bootstrap over prompts.
    ScoreAndPromptBootstrap,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PanelRate {
    /// Mean of the members' rates.
    pub rate: f64,
    /// 95 %.
    pub interval: Interval,
    pub method: IntervalMethod,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PanelChange {
    /// Later less earlier.
    pub change: f64,
    /// 95 %.
    pub interval: Interval,
    pub method: IntervalMethod,
    /// By the score interval.
    pub p: f64,
}

impl PanelChange {
    pub fn is_significant(&self) -> bool {
        self.interval.excludes(0.0)
    }
}

impl Count {
    pub fn add(&mut self, other: Self) {
        self.hits += other.hits;
        self.trials += other.trials;
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn rate(self) -> Option<f64> {
        (self.trials > 0).then(|| self.hits.min(self.trials) as f64 / self.trials as f64)
    }
}

/// `None` without trials. Equal keys give equal intervals.
pub fn rate(members: &[Count], key: &str) -> Option<PanelRate> {
    let rates: Vec<f64> = members.iter().filter_map(|it| it.rate()).collect();
    let mean = mean(&rates)?;
    let score = wilson::interval_of_rate(mean, effective_trials(members.iter().copied()), Z);
    let (interval, method) = hull(score, &rates, key);
    Some(PanelRate {
        rate: mean,
        interval,
        method,
    })
}

/// Both slices have the same members in the same order. Members without trials on both sides are dropped; `None` if
/// none is left.
pub fn change(now: &[Count], before: &[Count], key: &str) -> Option<PanelChange> {
    let pairs = answered_pairs(now, before);
    let (later, earlier) = mean_rates(&pairs)?;
    let score = newcombe::interval_of_rates(later, earlier, Z);
    let differences: Vec<f64> = { pairs.iter() }
        .filter_map(|(now, before)| Some(now.rate()? - before.rate()?))
        .collect();
    let (interval, method) = hull(score, &differences, key);
    Some(PanelChange {
        change: later.0 - earlier.0,
        interval,
        method,
        p: newcombe::p_value(later, earlier),
    })
}

/// Whether [`change`] is significant; skips the bootstrap if the score interval holds 0.
pub fn is_significant_change(now: &[Count], before: &[Count], key: &str) -> bool {
    let pairs = answered_pairs(now, before);
    mean_rates(&pairs).is_some_and(|(later, earlier)| {
        newcombe::interval_of_rates(later, earlier, Z).excludes(0.0)
            && change(now, before, key).is_some_and(|it| it.is_significant())
    })
}

type Rate = (f64, f64);

fn answered_pairs(now: &[Count], before: &[Count]) -> Vec<(Count, Count)> {
    let pairs = now.iter().copied().zip(before.iter().copied());
    pairs
        .filter(|(now, before)| now.trials > 0 && before.trials > 0)
        .collect()
}

fn mean_rates(pairs: &[(Count, Count)]) -> Option<(Rate, Rate)> {
    let side = |pick: fn(&(Count, Count)) -> Count| {
        let rates: Vec<f64> = { pairs.iter() }.filter_map(|it| pick(it).rate()).collect();
        Some((mean(&rates)?, effective_trials(pairs.iter().map(pick))))
    };
    Some((side(|it| it.0)?, side(|it| it.1)?))
}

/// Total trials of an even panel of the same precision: P² / Σ 1/n. For an even panel that is its total, so that the
/// interval is Wilson's.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn effective_trials(members: impl Iterator<Item = Count>) -> f64 {
    let (mut count, mut parts) = (0.0, 0.0);
    for member in members.filter(|it| it.trials > 0) {
        count += 1.0;
        parts += 1.0 / member.trials as f64;
    }
    count * count / parts
}

fn hull(score: Interval, values: &[f64], key: &str) -> (Interval, IntervalMethod) {
    let drawn = (values.len() >= MIN_MEMBERS).then(|| mean_of_few_clusters(values, key));
    match drawn.flatten() {
        Some(drawn) => (
            Interval {
                low: score.low.min(drawn.low),
                high: score.high.max(drawn.high),
            },
            IntervalMethod::ScoreAndPromptBootstrap,
        ),
        None => (score, IntervalMethod::Score),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{newcombe::newcombe, wilson::wilson};
    use proptest::prelude::*;

    fn even(hits: &[u64], trials: u64) -> Vec<Count> {
        hits.iter()
            .map(|hits| Count {
                hits: *hits,
                trials,
            })
            .collect()
    }

    #[test]
    fn small_even_panels_use_wilson_and_newcombe() {
        let now = even(&[3, 5, 1, 0], 5);
        let before = even(&[1, 4, 1, 1], 20);
        let found = rate(&now, "k").unwrap();
        let golden = wilson(9, 20).unwrap();
        assert!((found.rate - 0.45).abs() < 1e-12);
        assert!((found.interval.low - golden.low).abs() < 1e-12);
        assert!((found.interval.high - golden.high).abs() < 1e-12);
        let found = change(&now, &before, "k").unwrap();
        let golden = newcombe((9, 20), (7, 80)).unwrap();
        assert!((found.interval.low - golden.low).abs() < 1e-12);
        assert!((found.interval.high - golden.high).abs() < 1e-12);
        assert_eq!(found.method, IntervalMethod::Score);
        assert!(found.is_significant() && found.p < 0.05);
    }

    #[test]
    fn members_weigh_the_same_whatever_their_trials() {
        let uneven = [
            Count { hits: 1, trials: 1 },
            Count {
                hits: 0,
                trials: 100,
            },
        ];
        let found = rate(&uneven, "k").unwrap();
        assert!((found.rate - 0.5).abs() < 1e-12);
        let four = wilson(2, 4).unwrap();
        assert!((found.interval.low - four.low).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_panel_of_zeros_is_not_certain() {
        let found = rate(&even(&[0; 5], 5), "k").unwrap();
        assert!((found.interval.high - wilson(0, 25).unwrap().high).abs() < 1e-12);
        assert_eq!(found.method, IntervalMethod::ScoreAndPromptBootstrap);
    }

    #[test]
    fn prompts_that_disagree_widen_the_interval() {
        let apart = rate(&even(&[5, 5, 5, 0, 0, 0], 5), "k").unwrap();
        let pooled = wilson(15, 30).unwrap();
        assert!(apart.interval.low < pooled.low - 0.02 && apart.interval.high > pooled.high + 0.02);
    }

    #[test]
    fn only_members_that_answered_twice_are_compared() {
        let now = [Count { hits: 5, trials: 5 }, Count { hits: 5, trials: 5 }];
        let before = [Count { hits: 5, trials: 5 }, Count::default()];
        assert!(change(&now, &before, "k").unwrap().change.abs() < 1e-12);
        assert_eq!(change(&now, &[Count::default(); 2], "k"), None);
        assert_eq!(rate(&[Count::default()], "k"), None);
    }

    /// `examples/ai_simulation.rs` simulates other panels, too.
    #[test]
    fn false_positives_stay_below_five_percent() {
        let mut seed = 7_u64;
        let mut draw = move || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(seed >> 32).unwrap_or_default()) / 4_294_967_296.0
        };
        let mut moved = 0;
        for pair in 0..10_000 {
            let members = if pair % 10 == 0 { 12 } else { 5 };
            let rates: Vec<f64> = (0..members).map(|_| draw()).collect();
            let mut sample = |times: u64| -> Vec<Count> {
                { rates.iter() }
                    .map(|rate| Count {
                        hits: (0..times).filter(|_| draw() < *rate).count() as u64,
                        trials: times,
                    })
                    .collect()
            };
            let (now, before) = (sample(5), sample(20));
            moved += u32::from(is_significant_change(&now, &before, "simulation"));
        }
        assert!(moved <= 500, "{moved} of 10000");
        // A test without any power would pass, too.
        assert!(moved >= 50, "{moved} of 10000");
    }

    fn panel() -> impl Strategy<Value = Vec<Count>> {
        let member = (0_u64..8, 0_u64..8).prop_map(|(hits, trials)| Count {
            hits: hits.min(trials),
            trials,
        });
        proptest::collection::vec(member, 1..14)
    }

    proptest! {
        #[test]
        fn a_rate_lies_in_its_interval_and_inside_of_0_and_1(members in panel()) {
            if let Some(found) = rate(&members, "k") {
                prop_assert!(found.interval.low >= 0.0 && found.interval.high <= 1.0);
                prop_assert!(found.interval.low <= found.rate + 1e-12);
                prop_assert!(found.rate <= found.interval.high + 1e-12);
            }
        }

        #[test]
        fn the_significance_shortcut_agrees_with_the_full_test(
            now in panel(), before in panel()
        ) {
            let whole = change(&now, &before, "k").is_some_and(|it| it.is_significant());
            prop_assert_eq!(is_significant_change(&now, &before, "k"), whole);
        }

        #[test]
        fn another_success_never_lowers_a_rate(members in panel(), at in 0_usize..14) {
            let mut more = members.clone();
            if let Some(member) = more.get_mut(at)
                && member.hits < member.trials
            {
                member.hits += 1;
                let (one, other) = (rate(&members, "k").unwrap(), rate(&more, "k").unwrap());
                prop_assert!(other.rate >= one.rate);
            }
        }
    }
}
