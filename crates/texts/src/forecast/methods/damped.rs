use crate::forecast::count;
use crate::forecast::minimize::{SIMPLEX_PROBES, Search, minimize_in_box};
use std::array;

/// Bounds of `statsmodels`, `statsforecast` and the R package `forecast`.
const ALPHA: (f64, f64) = (1e-4, 0.9999);
const PHI: (f64, f64) = (0.8, 0.98);
/// β = α·share; the share keeps β below α.
const TREND_SHARE: (f64, f64) = (1e-4, 0.9999);

/// Parameters that are estimated: α, β, φ, the initial level and the initial trend.
const PARAMETERS: usize = 5;

/// Start points for α, β/α and φ, edges included. With a small β the likelihood has two maxima:
/// short-lived and lasting trends.
const GRID: ([f64; 5], [f64; 4], [f64; 4]) = (
    [0.03, 0.2, 0.45, 0.75, ALPHA.1],
    [TREND_SHARE.0, 0.1, 0.4, TREND_SHARE.1],
    [PHI.0, 0.88, 0.95, PHI.1],
);

/// ETS(A,Ad,N), damped trend with additive errors (Gardner and `McKenzie` 1985; Hyndman and others,
/// "Forecasting with Exponential Smoothing", 2008, table 2.2), by maximum likelihood:
///
/// yₜ = ℓₜ₋₁ + φ·bₜ₋₁ + eₜ, ℓₜ = ℓₜ₋₁ + φ·bₜ₋₁ + α·eₜ, bₜ = φ·bₜ₋₁ + β·eₜ.
///
/// Given α, β and φ the errors are linear in the initial level and trend, so these two have a closed
/// form and only three parameters are searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Damped {
    /// Smoothing of the level.
    pub alpha: f64,
    /// Smoothing of the trend; at most α.
    pub beta: f64,
    /// Damping per step.
    pub phi: f64,
    pub level: f64,
    /// Per step.
    pub trend: f64,
    pub squared_errors: f64,
    length: usize,
}

/// Sums of products of the errors from a zero start (e) and the effects of a unit of level (u) and of trend (v).
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    ee: f64,
    eu: f64,
    ev: f64,
    uu: f64,
    uv: f64,
    vv: f64,
}

impl Damped {
    /// At least six values; `warm_start` is a fit of nearly the same series.
    pub fn fit(series: &[f64], warm_start: Option<&Self>) -> Option<Self> {
        if series.len() <= PARAMETERS {
            return None;
        }
        let origin = series[0];
        let series: Vec<f64> = series.iter().map(|value| value - origin).collect();
        let search = |stride, tolerance, batches, start| {
            let search = Self::search(stride, tolerance, batches);
            minimize_in_box(&search, start, |it| errors(&series, it))
        };
        let point = if let Some(previous) = warm_start {
            let start = [previous.alpha, previous.beta / previous.alpha, previous.phi];
            search(0.05, 1e-5, 40, start)
        } else {
            let [one, other] = starts(&series).map(|start| search(0.1, 1e-4, 40, start));
            let start = if other.value < one.value {
                other.at
            } else {
                one.at
            };
            search(0.05, 1e-6, 40, start)
        };
        Some(Self::with(&series, origin, point.at))
    }

    const fn search(stride: f64, tolerance: f64, batches: usize) -> Search {
        Search {
            low: [ALPHA.0, TREND_SHARE.0, PHI.0],
            high: [ALPHA.1, TREND_SHARE.1, PHI.1],
            stride,
            tolerance,
            batches,
        }
    }

    fn with(series: &[f64], origin: f64, point: [f64; 3]) -> Self {
        let [alpha, share, phi] = point;
        let beta = alpha * share;
        let [sums, ..] = sums(series, &[point; SIMPLEX_PROBES]);
        let (mut level, mut trend) = sums.best_start();
        let mut squared_errors = 0.0;
        for value in series {
            let expected = level + phi * trend;
            let error = value - expected;
            squared_errors += error * error;
            level = expected + alpha * error;
            trend = phi * trend + beta * error;
        }
        Self {
            alpha,
            beta,
            phi,
            level: level + origin,
            trend,
            squared_errors,
            length: series.len(),
        }
    }

    pub fn forecast(&self, horizon: usize) -> Vec<f64> {
        let mut reach = 0.0;
        let mut power = 1.0;
        (0..horizon)
            .map(|_| {
                power *= self.phi;
                reach += power;
                self.level + reach * self.trend
            })
            .collect()
    }

    /// By normal theory: σ²·(1 + Σ cⱼ²), cⱼ = α + β·(φ + … + φʲ) (Hyndman and others 2008, table 6.2).
    pub fn deviations(&self, horizon: usize) -> Vec<f64> {
        let variance = self.squared_errors / count(self.length.saturating_sub(PARAMETERS).max(1));
        let (mut sum, mut reach, mut power) = (1.0, 0.0, 1.0);
        (0..horizon)
            .map(|_| {
                let deviation = (variance * sum).sqrt();
                power *= self.phi;
                reach += power;
                sum += (self.alpha + self.beta * reach).powi(2);
                deviation
            })
            .collect()
    }
}

/// The best grid points with a short-lived and with a lasting trend.
fn starts(series: &[f64]) -> [[f64; 3]; 2] {
    let (alphas, shares, phis) = GRID;
    let mut best = phis.map(|phi| (f64::INFINITY, [alphas[0], shares[0], phi]));
    for alpha in alphas {
        for share in shares {
            let points = phis.map(|phi| [alpha, share, phi]);
            let values = errors(series, &points);
            for (k, best) in best.iter_mut().enumerate() {
                if values[k] < best.0 {
                    *best = (values[k], points[k]);
                }
            }
        }
    }
    let [one, two, three, four] = best;
    [(one, two), (three, four)].map(|(a, b)| if b.0 < a.0 { b.1 } else { a.1 })
}

fn errors(series: &[f64], points: &[[f64; 3]; SIMPLEX_PROBES]) -> [f64; SIMPLEX_PROBES] {
    sums(series, points).map(|it| it.minimum())
}

/// One pass for four points (α, β/α, φ) at once.
fn sums(series: &[f64], points: &[[f64; 3]; SIMPLEX_PROBES]) -> [Sums; SIMPLEX_PROBES] {
    const LANES: usize = SIMPLEX_PROBES;
    let alpha: [f64; LANES] = array::from_fn(|k| points[k][0]);
    let beta: [f64; LANES] = array::from_fn(|k| points[k][0] * points[k][1]);
    let phi: [f64; LANES] = array::from_fn(|k| points[k][2]);
    let (mut level, mut trend) = ([0.0; LANES], [0.0; LANES]);
    let (mut u_level, mut u_trend) = ([1.0; LANES], [0.0; LANES]);
    let (mut v_level, mut v_trend) = ([0.0; LANES], [1.0; LANES]);
    let [mut ee, mut eu, mut ev, mut uu, mut uv, mut vv] = [[0.0; LANES]; 6];
    for &value in series {
        for k in 0..LANES {
            let damped = phi[k] * trend[k];
            let expected = level[k] + damped;
            let e = value - expected;
            level[k] = expected + alpha[k] * e;
            trend[k] = damped + beta[k] * e;

            let damped = phi[k] * u_trend[k];
            let u = u_level[k] + damped;
            u_level[k] = u - alpha[k] * u;
            u_trend[k] = damped - beta[k] * u;

            let damped = phi[k] * v_trend[k];
            let v = v_level[k] + damped;
            v_level[k] = v - alpha[k] * v;
            v_trend[k] = damped - beta[k] * v;

            ee[k] += e * e;
            eu[k] += e * u;
            ev[k] += e * v;
            uu[k] += u * u;
            uv[k] += u * v;
            vv[k] += v * v;
        }
    }
    array::from_fn(|k| Sums {
        ee: ee[k],
        eu: eu[k],
        ev: ev[k],
        uu: uu[k],
        uv: uv[k],
        vv: vv[k],
    })
}

impl Sums {
    /// By least squares.
    fn best_start(&self) -> (f64, f64) {
        let spread = self.uu * self.vv - self.uv * self.uv;
        // Level and trend are collinear if the smoothing forgets the start at once.
        if spread > 1e-10 * self.uu * self.vv {
            let level = (self.eu * self.vv - self.ev * self.uv) / spread;
            let trend = (self.ev * self.uu - self.eu * self.uv) / spread;
            (level, trend)
        } else {
            (self.eu / self.uu, 0.0)
        }
    }

    fn minimum(&self) -> f64 {
        let (level, trend) = self.best_start();
        (self.ee - level * self.eu - trend * self.ev).max(0.0)
    }
}
