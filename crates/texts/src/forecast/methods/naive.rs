use crate::forecast::count;

/// The last value, repeated; `None` for an empty series.
pub fn naive(series: &[f64], horizon: usize) -> Option<Vec<f64>> {
    Some(vec![*series.last()?; horizon])
}

/// The last period, repeated; `None` for less than a period.
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

/// `None` for fewer than two values.
pub fn random_walk_with_drift(series: &[f64], horizon: usize) -> Option<Vec<f64>> {
    let (&first, &last) = (series.first()?, series.last()?);
    let steps = series.len().checked_sub(1).filter(|steps| *steps > 0)?;
    let drift = (last - first) / count(steps);
    Some((1..=horizon).map(|h| last + drift * count(h)).collect())
}

/// Standard deviations of [`naive`]'s errors: σ·√h, σ² the mean squared step; `None` without a step. Hyndman and
/// Athanasopoulos, "Forecasting: Principles and Practice", table 5.2 (also `statsforecast`).
pub fn naive_deviations(series: &[f64], horizon: usize) -> Option<Vec<f64>> {
    let steps = series.len().checked_sub(1).filter(|steps| *steps > 0)?;
    let squares: f64 = series.windows(2).map(|it| (it[1] - it[0]).powi(2)).sum();
    let deviation = (squares / count(steps)).sqrt();
    Some((1..=horizon).map(|h| deviation * count(h).sqrt()).collect())
}
