//! The baselines that every forecast has to beat.

use crate::forecast::count;

/// The last value, again and again; `None` of an empty series.
#[must_use]
pub fn naive(series: &[f64], horizon: usize) -> Option<Vec<f64>> {
    Some(vec![*series.last()?; horizon])
}

/// The values of the last period, again and again; `None` of less than a period.
#[must_use]
pub fn seasonal_naive(series: &[f64], period: usize, horizon: usize) -> Option<Vec<f64>> {
    let last = series.len().checked_sub(period.max(1))?;
    Some(
        series[last..]
            .iter()
            .copied()
            .cycle()
            .take(horizon)
            .collect(),
    )
}

/// The last value and the mean step so far; `None` of fewer than two values.
#[must_use]
pub fn random_walk_with_drift(series: &[f64], horizon: usize) -> Option<Vec<f64>> {
    let (&first, &last) = (series.first()?, series.last()?);
    let steps = series.len().checked_sub(1).filter(|steps| *steps > 0)?;
    let drift = (last - first) / count(steps);
    Some((1..=horizon).map(|h| last + drift * count(h)).collect())
}

/// Standard deviations of the errors of [`naive`] by normal theory: σ·√h, σ² the mean squared step.
///
/// Hyndman and Athanasopoulos, "Forecasting: Principles and Practice", table 5.2 (`statsforecast` as
/// well). Without a step it is unknown: `None`.
#[must_use]
pub fn naive_deviations(series: &[f64], horizon: usize) -> Option<Vec<f64>> {
    let steps = series.len().checked_sub(1).filter(|steps| *steps > 0)?;
    let squares: f64 = series.windows(2).map(|it| (it[1] - it[0]).powi(2)).sum();
    let deviation = (squares / count(steps)).sqrt();
    Some((1..=horizon).map(|h| deviation * count(h).sqrt()).collect())
}
