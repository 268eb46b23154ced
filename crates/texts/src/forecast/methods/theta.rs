use crate::forecast::count;
use crate::forecast::minimize::{LINE_PROBES, minimize_on_interval};
use std::array;

/// Range of α in `statsforecast` and the R package `forecTheta`.
const ALPHA: (f64, f64) = (0.1, 0.99);
/// First errors that are ignored, since they depend on the initial level only.
const BURN_IN: usize = 3;
/// Smaller powers of 1 − α are taken as 0: subnormal numbers are slow.
const NEGLIGIBLE: f64 = 1e-100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThetaKind {
    /// θ = 2, one trend line for the whole series: Assimakopoulos and Nikolopoulos 2000.
    Standard,
    /// θ ≥ 1 optimized with α: the OTM of Fiorucci and others 2016.
    Optimized,
    /// θ = 2, the line is updated with each value.
    Dynamic,
    /// θ ≥ 1 optimized with α, the line is updated with each value: DOTM.
    DynamicOptimized,
}

/// A fitted Theta model as Fiorucci, Pellegrini, Louzada, Petropoulos and Koehler wrote it as a
/// state space (International Journal of Forecasting 32, 2016):
///
/// μₜ = ℓₜ₋₁ + (1 − 1/θ)·(A·(1−α)ᵗ + B·(1 − (1−α)ᵗ⁺¹)/α), ℓₜ = α·yₜ + (1−α)·ℓₜ₋₁,
///
/// with the line A + B·t through the series. Given α, the errors are linear in the initial level
/// and in 1 − 1/θ, so both have a closed form and only α is searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Theta {
    kind: ThetaKind,
    /// The first value, subtracted to keep precision for large numbers.
    origin: f64,
    /// Weight of the newest value.
    pub alpha: f64,
    /// 1 − 1/θ.
    pub trend_weight: f64,
    /// Sum of squared one-step errors, without the first three.
    pub squared_errors: f64,
    level: f64,
    mean: f64,
    line: Line,
    length: usize,
}

/// A + B·t, t from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    a: f64,
    b: f64,
}

/// Sums of products for the best initial level and pull, and the rest of Σ e².
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    rr: f64,
    rw: f64,
    rd: f64,
    ww: f64,
    wd: f64,
    dd: f64,
}

impl Theta {
    /// At least four values.
    pub fn fit(series: &[f64], kind: ThetaKind) -> Option<Self> {
        if series.len() <= BURN_IN {
            return None;
        }
        let origin = series[0];
        let series: Vec<f64> = series.iter().map(|value| value - origin).collect();
        let lines = lines(&series, kind);
        let alpha = minimize_on_interval(ALPHA.0, ALPHA.1, |alphas| {
            sums(&series, &lines, alphas).map(|it| it.solve(kind).2)
        });
        let [sums, ..] = sums(&series, &lines, &[alpha; LINE_PROBES]);
        let (initial, pull, squared_errors) = sums.solve(kind);
        let level = series.iter().fold(initial, |level, value| {
            alpha * value + (1.0 - alpha) * level
        });
        Some(Self {
            kind,
            origin,
            alpha,
            trend_weight: pull,
            squared_errors,
            level,
            mean: series.iter().sum::<f64>() / count(series.len()),
            line: *lines.last()?,
            length: series.len(),
        })
    }

    pub fn forecast(&self, horizon: usize) -> Vec<f64> {
        let rest = 1.0 - self.alpha;
        let (mut level, mut mean, mut line) = (self.level, self.mean, self.line);
        let mut power = rest.powf(count(self.length));
        (self.length..self.length + horizon)
            .map(|i| {
                let drift = line.a * power + line.b * (1.0 - power * rest) / self.alpha;
                let value = level + self.trend_weight * drift;
                level = self.alpha * value + rest * level;
                if self.kind.is_dynamic() {
                    line = line.with(value, mean, i);
                    mean = (count(i) * mean + value) / count(i + 1);
                }
                power *= rest;
                self.origin + value
            })
            .collect()
    }
}

impl ThetaKind {
    const fn is_dynamic(self) -> bool {
        matches!(self, Self::Dynamic | Self::DynamicOptimized)
    }

    const fn has_free_theta(self) -> bool {
        matches!(self, Self::Optimized | Self::DynamicOptimized)
    }
}

/// One line for each value, and one for the future.
fn lines(series: &[f64], kind: ThetaKind) -> Vec<Line> {
    if !kind.is_dynamic() {
        return vec![Line::through(series); series.len()];
    }
    let mut line = Line {
        a: series[0],
        b: 0.0,
    };
    let mut mean = series[0];
    let mut lines = vec![line];
    for (i, value) in series.iter().enumerate().skip(1) {
        line = line.with(*value, mean, i);
        mean = (count(i) * mean + value) / count(i + 1);
        lines.push(line);
    }
    lines
}

impl Line {
    /// Least squares.
    fn through(series: &[f64]) -> Self {
        let n = count(series.len());
        let mean = series.iter().sum::<f64>() / n;
        let weighted: f64 = (1..).zip(series).map(|(t, value)| count(t) * value).sum();
        let b = 6.0 * (2.0 * weighted / n - (n + 1.0) * mean) / (n * n - 1.0);
        Self {
            a: mean - (n + 1.0) * b / 2.0,
            b,
        }
    }

    /// Updated by the value at index `i`; `mean` is that of the values before.
    fn with(self, value: f64, mean: f64, i: usize) -> Self {
        let n = count(i);
        let b = ((n - 1.0) * self.b + 6.0 * (value - mean) / (n + 1.0)) / (n + 2.0);
        let mean = (n * mean + value) / (n + 1.0);
        Self {
            a: mean - b * (n + 2.0) / 2.0,
            b,
        }
    }
}

/// Per α: r is the error at zero level and pull, w the effect of the initial level, d that of the pull.
fn sums(series: &[f64], lines: &[Line], alphas: &[f64; LINE_PROBES]) -> [Sums; LINE_PROBES] {
    let rest = alphas.map(|alpha| 1.0 - alpha);
    let inverse = alphas.map(|alpha| 1.0 / alpha);
    let mut levels = alphas.map(|alpha| alpha * series[0]);
    let mut powers = rest;
    let [mut rr, mut rw, mut rd, mut ww, mut wd, mut dd] = [[0.0; LINE_PROBES]; 6];
    for (i, (&value, line)) in series[1..].iter().zip(lines).enumerate() {
        let counts = if i + 1 < BURN_IN { 0.0 } else { 1.0 };
        for k in 0..LINE_PROBES {
            let w = powers[k];
            let next = if w < NEGLIGIBLE { 0.0 } else { w * rest[k] };
            let d = line.a * w + line.b * (1.0 - next) * inverse[k];
            let r = value - levels[k];
            let (counted_r, counted_w) = (counts * r, counts * w);
            rr[k] += counted_r * r;
            rw[k] += counted_r * w;
            rd[k] += counted_r * d;
            ww[k] += counted_w * w;
            wd[k] += counted_w * d;
            dd[k] += counts * d * d;
            levels[k] = alphas[k] * value + rest[k] * levels[k];
            powers[k] = next;
        }
    }
    array::from_fn(|k| Sums {
        rr: rr[k],
        rw: rw[k],
        rd: rd[k],
        ww: ww[k],
        wd: wd[k],
        dd: dd[k],
    })
}

impl Sums {
    /// Level, pull, and the sum of squared errors.
    fn solve(&self, kind: ThetaKind) -> (f64, f64, f64) {
        let pull = if kind.has_free_theta() {
            let spread = self.dd * self.ww - self.wd * self.wd;
            let best = (self.rd * self.ww - self.rw * self.wd) / spread;
            // θ ≥ 1; a flat line through 0 does not determine θ.
            if best.is_finite() {
                best.clamp(0.0, 1.0)
            } else {
                0.5
            }
        } else {
            0.5
        };
        let level = (self.rw - pull * self.wd) / self.ww;
        let level = if level.is_finite() { level } else { 0.0 };
        let error = self.rr + pull * (pull * self.dd - 2.0 * self.rd)
            - level * (2.0 * (self.rw - pull * self.wd) - level * self.ww);
        (level, pull, error)
    }
}
