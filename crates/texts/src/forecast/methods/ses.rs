use crate::forecast::minimize::{LINE_PROBES, minimize_on_interval};

/// Range of α in `statsforecast`.
const ALPHA: (f64, f64) = (0.01, 0.99);

/// α minimizes the squared one-step errors (`statsforecast`: `SimpleExponentialSmoothingOptimized`; Brown 1959).
///
/// ℓ₁ = y₁, ℓₜ = ℓₜ₋₁ + α·(yₜ − ℓₜ₋₁); every forecast is the last level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ses {
    /// Weight of the newest value, 0 to 1.
    pub alpha: f64,
    /// In the unit of the series.
    pub level: f64,
}

impl Ses {
    /// `None` for an empty series.
    pub fn fit(series: &[f64]) -> Option<Self> {
        let (&first, rest) = series.split_first()?;
        let alpha = minimize_on_interval(ALPHA.0, ALPHA.1, |alphas| {
            squared_errors(first, rest, alphas)
        });
        let level = rest
            .iter()
            .fold(first, |level, value| level + alpha * (value - level));
        Some(Self { alpha, level })
    }
}

fn squared_errors(first: f64, rest: &[f64], alphas: &[f64; LINE_PROBES]) -> [f64; LINE_PROBES] {
    let mut levels = [first; LINE_PROBES];
    let mut sums = [0.0; LINE_PROBES];
    for &value in rest {
        for k in 0..LINE_PROBES {
            let error = value - levels[k];
            sums[k] += error * error;
            levels[k] += alphas[k] * error;
        }
    }
    sums
}
