//! Lighthouse's performance score: each metric by a log-normal curve, then a weighted mean.
//!
//! Formula, control points and weights are those of the npm packages `lighthouse` 12.8.2 and 13.5.0
//! (`shared/statistics.js`, `core/audits/metrics/`, `core/config/default-config.js`);
//! `tests/oracles/lighthouse_scores.mjs` compares thousands of values with the package.

use super::rating::Thresholds;
use crate::observation::vitals::{FormFactor, LabMetrics};

/// The values with the scores .9 and .5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ControlPoints {
    pub p10: f64,
    pub median: f64,
}

const fn points(p10: f64, median: f64) -> ControlPoints {
    ControlPoints { p10, median }
}

impl ControlPoints {
    /// First Contentful Paint, ms. Everything but a desktop is scored as a phone.
    pub const fn fcp(form_factor: FormFactor) -> Self {
        match form_factor {
            FormFactor::Desktop => points(934.0, 1_600.0),
            _ => points(1_800.0, 3_000.0),
        }
    }

    /// Speed Index, ms.
    pub const fn si(form_factor: FormFactor) -> Self {
        match form_factor {
            FormFactor::Desktop => points(1_311.0, 2_300.0),
            _ => points(3_387.0, 5_800.0),
        }
    }

    /// Largest Contentful Paint, ms.
    pub const fn lcp(form_factor: FormFactor) -> Self {
        match form_factor {
            FormFactor::Desktop => points(1_200.0, 2_400.0),
            _ => points(2_500.0, 4_000.0),
        }
    }

    /// Total Blocking Time, ms.
    pub const fn tbt(form_factor: FormFactor) -> Self {
        match form_factor {
            FormFactor::Desktop => points(150.0, 350.0),
            _ => points(200.0, 600.0),
        }
    }

    pub const fn cls() -> Self {
        points(0.1, 0.25)
    }

    /// Interaction to Next Paint, ms; Lighthouse scores it in timespans alone.
    pub const fn inp() -> Self {
        points(200.0, 500.0)
    }

    /// Time to Interactive, ms; informative, without weight.
    pub const fn tti(form_factor: FormFactor) -> Self {
        match form_factor {
            FormFactor::Desktop => points(2_468.0, 4_500.0),
            _ => points(3_785.0, 7_300.0),
        }
    }

    /// Good from the score .9 on, poor below .5.
    pub const fn as_thresholds(self) -> Thresholds {
        Thresholds {
            good: self.p10,
            poor: self.median,
        }
    }

    /// The score of a value, 0 to 1, not rounded; `None` for NaN.
    ///
    /// `x = ln(v/median) · erfc⁻¹(1/5) / −ln(p10/median)`, `score = (1 − erf x) / 2`, clamped to
    /// `[.9, 1]` up to p10, to `[.5, .9)` up to the median and to `[0, .5)` above.
    pub fn score(self, value: f64) -> Option<f64> {
        if value.is_nan() {
            return None;
        }
        if value <= 0.0 {
            return Some(1.0);
        }
        let ratio = (value / self.median).max(f64::MIN_POSITIVE);
        let x = ratio.ln() * INVERSE_ERFC_ONE_FIFTH / -(self.p10 / self.median).ln();
        let share = (1.0 - erf(x)) / 2.0;
        Some(if value <= self.p10 {
            share.clamp(0.9, 1.0)
        } else if value <= self.median {
            share.clamp(0.5, 0.9_f64.next_down())
        } else {
            share.clamp(0.0, 0.5_f64.next_down())
        })
    }
}

/// The number closest to `erfc⁻¹(1/5)`.
const INVERSE_ERFC_ONE_FIFTH: f64 = 0.906_193_802_436_823_2;

/// *Handbook of Mathematical Functions* (Abramowitz and Stegun 1964), formula 7.1.26: the error is at most 1.5·10⁻⁷.
fn erf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    // No fused multiply-add: scores equal Lighthouse's to the last bit.
    let coefficients = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let y = coefficients.into_iter().fold(0.0, |sum, it| t * (it + sum));
    let magnitude = 1.0 - y * (-x * x).exp();
    if x == 0.0 { 0.0 } else { magnitude.copysign(x) }
}

/// Two decimals, halves up, as JavaScript's `Math.round` does.
fn two_decimals(value: f64) -> f64 {
    (value * 100.0 + 0.5).floor() / 100.0
}

/// The score of each metric, rounded to two decimals as Lighthouse publishes it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MetricScores {
    /// First Contentful Paint, weight 10.
    pub fcp: Option<f64>,
    /// Largest Contentful Paint, weight 25.
    pub lcp: Option<f64>,
    /// Total Blocking Time, weight 30.
    pub tbt: Option<f64>,
    /// Cumulative Layout Shift, weight 25.
    pub cls: Option<f64>,
    /// Speed Index, weight 10.
    pub si: Option<f64>,
}

pub fn metric_scores(metrics: &LabMetrics, form_factor: FormFactor) -> MetricScores {
    let scored = |value: Option<f64>, curve: ControlPoints| curve.score(value?).map(two_decimals);
    MetricScores {
        fcp: scored(metrics.fcp, ControlPoints::fcp(form_factor)),
        lcp: scored(metrics.lcp, ControlPoints::lcp(form_factor)),
        tbt: scored(metrics.tbt, ControlPoints::tbt(form_factor)),
        cls: scored(metrics.cls, ControlPoints::cls()),
        si: scored(metrics.si, ControlPoints::si(form_factor)),
    }
}

/// The weighted mean of the rounded metric scores, 0 to 1, to two decimals; `None` if a metric has no score.
pub fn performance_score(scores: &MetricScores) -> Option<f64> {
    let weighted = [
        (scores.fcp?, 10.0),
        (scores.lcp?, 25.0),
        (scores.tbt?, 30.0),
        (scores.cls?, 25.0),
        (scores.si?, 10.0),
    ];
    let sum: f64 = weighted.iter().map(|(score, weight)| score * weight).sum();
    let weights: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    Some(two_decimals(sum / weights))
}
