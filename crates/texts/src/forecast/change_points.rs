//! Level shifts of a series.

use super::count;
use crate::statistics::describe::median;

pub const MIN_STRETCH: usize = 7;
/// Penalty of a jump, in variances of the noise times ln n.
const PENALTY: f64 = 3.0;
/// Smallest jump, in usual weekly changes.
const ABRUPT: f64 = 5.0;
/// Median absolute deviation of the standard normal distribution.
const MEDIAN_SIZE: f64 = 0.674_489_75;

/// The index of the first value of each new level, ascending. Minimizes squared error with a penalty of 3·σ²·ln n per
/// level ([`levels`]); σ² is half the mean squared step. Random walks have many levels, too, so a jump is kept only if
/// the means of seven values before and after differ by five times the usual change, or that of noise.
pub fn change_points(series: &[f64]) -> Vec<usize> {
    if series.len() < 2 * MIN_STRETCH {
        return Vec::new();
    }
    let squares: f64 = series.windows(2).map(|it| (it[1] - it[0]).powi(2)).sum();
    // Differences of independent values have twice their variance.
    let noise = squares / count(series.len() - 1) / 2.0;
    let jumps = weekly_jumps(series);
    let usual = robust_deviation(&jumps).max((noise * 2.0 / count(MIN_STRETCH)).sqrt());
    levels(series, PENALTY * noise * count(series.len()).ln())
        .into_iter()
        .filter(|&place| jumps[place - MIN_STRETCH].abs() > ABRUPT * usual)
        .collect()
}

/// Splits that minimize Σ (y − mean)² + `penalty` per split, with at least seven values each. Exact (Jackson and
/// others 2005); PELT (Killick, Fearnhead and Eckley 2012) finds the same. O(n²).
pub fn levels(series: &[f64], penalty: f64) -> Vec<usize> {
    let centre = series.first().copied().unwrap_or(0.0);
    let mut sums = vec![(0.0, 0.0)];
    for value in series {
        let (value, (sum, squares)) = (value - centre, sums[sums.len() - 1]);
        sums.push((sum + value, squares + value * value));
    }
    let cost = |from: usize, to: usize| {
        let (sum, squares) = (sums[to].0 - sums[from].0, sums[to].1 - sums[from].1);
        squares - sum * sum / count(to - from)
    };
    // Minimum cost up to each index, and where its last segment starts.
    let mut best = vec![(0.0, 0); series.len() + 1];
    for to in MIN_STRETCH..=series.len() {
        best[to] = (cost(0, to), 0);
        for from in MIN_STRETCH..=to.saturating_sub(MIN_STRETCH) {
            let total = best[from].0 + cost(from, to) + penalty;
            if total < best[to].0 {
                best[to] = (total, from);
            }
        }
    }
    let mut places = Vec::new();
    let mut at = best[series.len()].1;
    while at > 0 {
        places.push(at);
        at = best[at].1;
    }
    places.reverse();
    places
}

/// Mean of the seven values from each index on, less that of the seven before.
fn weekly_jumps(series: &[f64]) -> Vec<f64> {
    series
        .windows(2 * MIN_STRETCH)
        .map(|it| {
            let (before, after) = it.split_at(MIN_STRETCH);
            (after.iter().sum::<f64>() - before.iter().sum::<f64>()) / count(MIN_STRETCH)
        })
        .collect()
}

/// By the median absolute error.
fn robust_deviation(errors: &[f64]) -> f64 {
    let sizes: Vec<f64> = errors.iter().map(|it| it.abs()).collect();
    median(&sizes).unwrap_or(0.0) / MEDIAN_SIZE
}
