use crate::forecast::count;

/// 95 % quantile of the normal distribution, for a two-sided test at 90 %.
const NINETY_PERCENT: f64 = 1.644_854;
/// Shorter periods are not tested, as in M4's benchmark and `statsforecast`.
const MIN_PERIOD: usize = 4;
/// With smaller factors the season is additive.
const MIN_FACTOR: f64 = 0.01;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeasonKind {
    Additive,
    /// Only for series above 0.
    Multiplicative,
}

/// From classical decomposition.
#[derive(Debug, Clone, PartialEq)]
pub struct Season {
    kind: SeasonKind,
    /// Summands or factors, from the first value of the series.
    indices: Vec<f64>,
    /// 0 (none) to 1 (only season).
    pub strength: f64,
}

/// Autocorrelation test at 90 %, as in M4's benchmarks and `statsforecast`'s Theta:
/// |rₘ| > 1.645·√((1 + 2·Σ rₖ²)/n), k < m (Bartlett). False for less than two periods.
pub fn is_seasonal(series: &[f64], period: usize) -> bool {
    if period < MIN_PERIOD || series.len() < 2 * period {
        return false;
    }
    let mean = series.iter().sum::<f64>() / count(series.len());
    let centred: Vec<f64> = series.iter().map(|value| value - mean).collect();
    let product = |lag: usize| -> f64 {
        centred[lag..]
            .iter()
            .zip(&centred)
            .map(|(one, other)| one * other)
            .sum()
    };
    let variance = product(0);
    let correlation = |lag| product(lag) / variance;
    let squares: f64 = (1..period).map(|lag| correlation(lag).powi(2)).sum();
    let limit = NINETY_PERCENT * ((1.0 + 2.0 * squares) / count(series.len())).sqrt();
    correlation(period).abs() > limit
}

impl Season {
    /// Needs two periods; `None` if the test finds no season. Factors near 0 make it additive, as in `statsforecast`.
    pub fn find(series: &[f64], period: usize, kind: SeasonKind) -> Option<Self> {
        if !is_seasonal(series, period) {
            return None;
        }
        let positive = series.iter().all(|value| *value > 0.0);
        if kind == SeasonKind::Multiplicative && positive {
            let season = Self::decompose(series, period, kind)?;
            if season.indices.iter().all(|factor| *factor >= MIN_FACTOR) {
                return Some(season);
            }
        }
        Self::decompose(series, period, SeasonKind::Additive)
    }

    /// Centered moving average over a period, then means by phase that sum to 0 (or average 1):
    /// `statsmodels.tsa.seasonal.seasonal_decompose`.
    ///
    /// Strength: max(0, 1 − Var(rest)/Var(season + rest)) (Wang, Smith and Hyndman 2006).
    pub fn decompose(series: &[f64], period: usize, kind: SeasonKind) -> Option<Self> {
        if period < 2 || series.len() < 2 * period {
            return None;
        }
        let trend = moving_average(series, period);
        let first = period / 2;
        let detrended: Vec<f64> = trend
            .iter()
            .zip(&series[first..])
            .map(|(trend, value)| match kind {
                SeasonKind::Additive => value - trend,
                SeasonKind::Multiplicative => value / trend,
            })
            .collect();
        let indices = phase_means(&detrended, first, period, kind);
        let season = |place: usize| indices[(first + place) % period];
        let rest: Vec<f64> = (0..detrended.len())
            .map(|place| match kind {
                SeasonKind::Additive => detrended[place] - season(place),
                SeasonKind::Multiplicative => detrended[place] / season(place),
            })
            .collect();
        let strength = 1.0 - variance(&rest) / variance(&detrended);
        let strength = if strength.is_finite() {
            strength.clamp(0.0, 1.0)
        } else {
            0.0
        };
        Some(Self {
            kind,
            indices,
            strength,
        })
    }

    pub fn adjust(&self, series: &[f64]) -> Vec<f64> {
        series
            .iter()
            .zip(self.indices.iter().cycle())
            .map(|(value, index)| match self.kind {
                SeasonKind::Additive => value - index,
                SeasonKind::Multiplicative => value / index,
            })
            .collect()
    }

    /// `length` of the series before the forecast.
    pub fn restore(&self, forecast: &mut [f64], length: usize) {
        let indices = self
            .indices
            .iter()
            .cycle()
            .skip(length % self.indices.len());
        for (value, index) in forecast.iter_mut().zip(indices) {
            match self.kind {
                SeasonKind::Additive => *value += index,
                SeasonKind::Multiplicative => *value *= index,
            }
        }
    }

    pub fn period(&self) -> usize {
        self.indices.len()
    }
}

/// Half weights at both ends of an even period. The first value belongs to index `period / 2`.
fn moving_average(series: &[f64], period: usize) -> Vec<f64> {
    let window = period + usize::from(period.is_multiple_of(2));
    let halves = if period.is_multiple_of(2) { 0.5 } else { 0.0 };
    series
        .windows(window)
        .map(|it| {
            let ends = it[0] + it[window - 1];
            (it.iter().sum::<f64>() - halves * ends) / count(period)
        })
        .collect()
}

fn phase_means(detrended: &[f64], first: usize, period: usize, kind: SeasonKind) -> Vec<f64> {
    let mut sums = vec![(0.0, 0_usize); period];
    for (place, value) in detrended.iter().enumerate() {
        let phase = &mut sums[(first + place) % period];
        *phase = (phase.0 + value, phase.1 + 1);
    }
    let means: Vec<f64> = sums
        .iter()
        .map(|(sum, n)| sum / count((*n).max(1)))
        .collect();
    let centre = means.iter().sum::<f64>() / count(period);
    means
        .iter()
        .map(|mean| match kind {
            SeasonKind::Additive => mean - centre,
            SeasonKind::Multiplicative => mean / centre,
        })
        .collect()
}

fn variance(values: &[f64]) -> f64 {
    let n = count(values.len());
    let mean = values.iter().sum::<f64>() / n;
    values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / n
}
