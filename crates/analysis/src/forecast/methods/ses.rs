//! Simple exponential smoothing.

use crate::forecast::minimise::{LINE_PROBES, along_line};

/// The range in which α is looked for, that of `statsforecast`.
const ALPHA: (f64, f64) = (0.01, 0.99);

/// Simple exponential smoothing with the α that has the least squared one-step errors.
///
/// ℓ₁ = y₁, ℓₜ = ℓₜ₋₁ + α·(yₜ − ℓₜ₋₁); every forecast is the last level. Brown 1959; in
/// `statsforecast` it is `SimpleExponentialSmoothingOptimized`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ses {
    /// Weight of the newest value.
    pub alpha: f64,
    /// The last level, in the unit of the series.
    pub level: f64,
}

impl Ses {
    /// Of a series; `None` of an empty one.
    #[must_use]
    pub fn fit(series: &[f64]) -> Option<Self> {
        let (&first, rest) = series.split_first()?;
        let alpha = along_line(ALPHA.0, ALPHA.1, |alphas| {
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
