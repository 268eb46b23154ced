//! Simulates how often a trend reports a change where there is none, and where there is one.
//!
//!     cargo run --release -p programs --example ai_simulation -- 10000
//!
//! Each run queries a panel of prompts, each with its own rate, in one week and in the four before. In some runs the
//! rates also vary from week to week, as after a change of an engine's index; repeats within a week are then not
//! independent.

use analysis::statistics::panel_rate::{self, Count};
use std::io::Write;

struct Draws(u64);

impl Draws {
    fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 32).unwrap_or_default()) / 4_294_967_296.0
    }

    /// The sum of twelve draws is nearly normal.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    fn count(&mut self, rate: f64, trials: u64) -> Count {
        Count {
            hits: (0..trials).filter(|_| self.unit() < rate).count() as u64,
            trials,
        }
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Percent of runs that report a change, and percent in which the interval of the last week's rate contains the true
/// mean.
fn simulate(pairs: u32, prompts: usize, wander: f64, shift: f64, draws: &mut Draws) -> (f64, f64) {
    let (mut moved, mut covered) = (0, 0);
    for pair in 0..pairs {
        let levels: Vec<f64> = (0..prompts).map(|_| draws.normal() * 1.5 - 0.5).collect();
        let mut before = vec![Count::default(); prompts];
        for _ in 0..4 {
            for (at, level) in levels.iter().enumerate() {
                let rate = logistic(level + wander * draws.normal());
                before[at].add(draws.count(rate, 5));
            }
        }
        let rates: Vec<f64> = { levels.iter() }
            .map(|level| logistic(level + shift + wander * draws.normal()))
            .collect();
        let now: Vec<Count> = rates.iter().map(|rate| draws.count(*rate, 5)).collect();
        let key = format!("{pair}");
        moved += u32::from(panel_rate::is_significant_change(&now, &before, &key));
        let truth = rates.iter().sum::<f64>() / f64::from(u32::try_from(prompts).unwrap_or(1));
        let found = panel_rate::rate(&now, &key);
        covered += u32::from(found.is_some_and(|it| !it.interval.excludes(truth)));
    }
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(pairs);
    (percent(moved), percent(covered))
}

fn main() -> std::io::Result<()> {
    let pairs: u32 = std::env::args()
        .nth(1)
        .and_then(|it| it.parse().ok())
        .unwrap_or(10_000);
    let mut out = std::io::stdout().lock();
    let mut draws = Draws(2026);
    writeln!(
        out,
        "prompts  wander  shift  moved %  rate in its interval %"
    )?;
    for prompts in [5, 12, 25, 100] {
        for (wander, shift) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 1.0)] {
            let (moved, covered) = simulate(pairs, prompts, wander, shift, &mut draws);
            writeln!(
                out,
                "{prompts:7}  {wander:6.1}  {shift:5.1}  {moved:7.2}  {covered:8.2}"
            )?;
        }
    }
    Ok(())
}
