//! The published forecast, unless the naive one had a smaller error.

use super::methods::{Damped, Ses, Theta, ThetaKind};
use super::season::{Season, SeasonKind};

/// Median of Theta, damped trend and simple exponential smoothing without season: M4's "Comb" (Makridakis, Spiliotis
/// and Assimakopoulos 2020) with Theta instead of Holt; a median is robust.
#[derive(Debug, Clone, PartialEq)]
pub struct Combination {
    season: Option<Season>,
    theta: Theta,
    damped: Damped,
    ses: Ses,
    length: usize,
}

impl Combination {
    /// At least six values; `period` 1 means no season; `warm_start` is a fit of nearly the same series.
    pub fn fit(
        series: &[f64],
        period: usize,
        kind: SeasonKind,
        warm_start: Option<&Self>,
    ) -> Option<Self> {
        let season = Season::find(series, period, kind);
        let adjusted = season.as_ref().map(|season| season.adjust(series));
        let plain = adjusted.as_deref().unwrap_or(series);
        Some(Self {
            theta: Theta::fit(plain, ThetaKind::Standard)?,
            damped: Damped::fit(plain, warm_start.map(|it| &it.damped))?,
            ses: Ses::fit(plain)?,
            season,
            length: series.len(),
        })
    }

    pub fn forecast(&self, horizon: usize) -> Vec<f64> {
        let theta = self.theta.forecast(horizon);
        let damped = self.damped.forecast(horizon);
        let mut middle: Vec<f64> = theta
            .into_iter()
            .zip(damped)
            .map(|(theta, damped)| median_of_three(theta, damped, self.ses.level))
            .collect();
        if let Some(season) = &self.season {
            season.restore(&mut middle, self.length);
        }
        middle
    }

    /// Standard deviations of the next errors, by the normal theory of the damped trend.
    pub fn deviations(&self, horizon: usize) -> Vec<f64> {
        self.damped.deviations(horizon)
    }

    /// `None` if the test found none.
    pub const fn season(&self) -> Option<&Season> {
        self.season.as_ref()
    }

    pub const fn damped(&self) -> &Damped {
        &self.damped
    }
}

fn median_of_three(a: f64, b: f64, c: f64) -> f64 {
    a.max(b).min(a.min(b).max(c))
}
