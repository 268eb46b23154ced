//! The forecast that is published unless a baseline beats it: a median of three methods.

use super::{
    methods::{Damped, Ses, Theta, ThetaKind},
    season::{Season, SeasonKind},
};

/// Theta, damped trend and simple exponential smoothing on the series without its season.
///
/// The three are those of M4's "Comb" benchmark (Makridakis, Spiliotis and Assimakopoulos 2020)
/// with Theta in the place of Holt; a median is not moved by one of them that runs away.
#[derive(Debug, Clone, PartialEq)]
pub struct Combination {
    season: Option<Season>,
    theta: Theta,
    damped: Damped,
    ses: Ses,
    length: usize,
}

impl Combination {
    /// Of a series of at least six values, which may repeat with `period` (1: it does not).
    ///
    /// `near` is a fit of nearly the same series; it makes this one faster.
    #[must_use]
    pub fn fit(
        series: &[f64],
        period: usize,
        kind: SeasonKind,
        near: Option<&Self>,
    ) -> Option<Self> {
        let season = Season::find(series, period, kind);
        let adjusted = season.as_ref().map(|season| season.adjust(series));
        let plain = adjusted.as_deref().unwrap_or(series);
        Some(Self {
            theta: Theta::fit(plain, ThetaKind::Standard)?,
            damped: Damped::fit(plain, near.map(|it| &it.damped))?,
            ses: Ses::fit(plain)?,
            season,
            length: series.len(),
        })
    }

    /// The next values.
    #[must_use]
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

    /// Standard deviations of the errors of the next values, by the normal theory of the damped
    /// trend.
    #[must_use]
    pub fn deviations(&self, horizon: usize) -> Vec<f64> {
        self.damped.deviations(horizon)
    }

    /// The season that was taken out and put back, if the test found one.
    #[must_use]
    pub const fn season(&self) -> Option<&Season> {
        self.season.as_ref()
    }

    /// The damped trend among the three.
    #[must_use]
    pub const fn damped(&self) -> &Damped {
        &self.damped
    }
}

fn median_of_three(a: f64, b: f64, c: f64) -> f64 {
    a.max(b).min(a.min(b).max(c))
}
