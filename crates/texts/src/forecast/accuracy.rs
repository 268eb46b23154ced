//! Forecast accuracy, in the measures of the M competitions.

use super::count;

/// Symmetric mean absolute percentage error, 0 to 200: mean of 200·|y − f|/(|y| + |f|). M4's definition (Makridakis,
/// Spiliotis and Assimakopoulos 2020); a pair of zeros has no error. `None` without a pair.
pub fn smape(pairs: &[(f64, f64)]) -> Option<f64> {
    let error = |&(actual, forecast): &(f64, f64)| {
        let size = actual.abs() + forecast.abs();
        if size > 0.0 {
            200.0 * (actual - forecast).abs() / size
        } else {
            0.0
        }
    };
    (!pairs.is_empty()).then(|| pairs.iter().map(error).sum::<f64>() / count(pairs.len()))
}

/// Mean absolute error in the unit of the series; `None` without a pair.
pub fn mean_absolute_error(pairs: &[(f64, f64)]) -> Option<f64> {
    let sum: f64 = pairs
        .iter()
        .map(|(actual, forecast)| (actual - forecast).abs())
        .sum();
    (!pairs.is_empty()).then(|| sum / count(pairs.len()))
}

/// Denominator of MASE: the mean |yₜ − yₜ₋ₘ| of the history (Hyndman and Koehler 2006). `None` if the history is not
/// longer than m or repeats exactly.
pub fn seasonal_step(history: &[f64], period: usize) -> Option<f64> {
    let period = period.max(1);
    let pairs: Vec<(f64, f64)> = history
        .iter()
        .copied()
        .zip(history.iter().skip(period).copied())
        .collect();
    mean_absolute_error(&pairs).filter(|it| *it > 0.0)
}

/// Mean scaled interval score of one interval per value, divided by the `seasonal_step`. Width plus 2/α for each unit
/// that a value lies outside (Gneiting and Raftery 2007; M4). `level` is the interval's, for example 0.95. `None`
/// without an interval.
pub fn scaled_interval_score(
    intervals: &[(f64, f64, f64)],
    level: f64,
    seasonal_step: f64,
) -> Option<f64> {
    let penalty = 2.0 / (1.0 - level);
    let score = |&(actual, low, high): &(f64, f64, f64)| {
        high - low + penalty * ((low - actual).max(0.0) + (actual - high).max(0.0))
    };
    let sum: f64 = intervals.iter().map(score).sum();
    (!intervals.is_empty()).then(|| sum / count(intervals.len()) / seasonal_step)
}
