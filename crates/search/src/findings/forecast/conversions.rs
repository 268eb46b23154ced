use super::record::{BackTestScores, ForecastFrequency, ForecastMethod, ForecastPoint};
use crate::forecast::back_test::Scores;
use crate::forecast::history::Frequency;
use crate::forecast::project::{Method, Point};

/// Never saturates: histories are short.
pub(super) fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl From<Frequency> for ForecastFrequency {
    fn from(frequency: Frequency) -> Self {
        match frequency {
            Frequency::Daily => Self::Daily,
            Frequency::Weekly => Self::Weekly,
        }
    }
}

impl From<Method> for ForecastMethod {
    fn from(method: Method) -> Self {
        match method {
            Method::Combination => Self::Combination,
            Method::Naive => Self::Naive,
            Method::Constant => Self::Constant,
        }
    }
}

impl From<&Point> for ForecastPoint {
    fn from(point: &Point) -> Self {
        Self {
            date: point.date,
            mean: point.mean,
            median: point.median,
            lo80: point.within80.0,
            hi80: point.within80.1,
            lo95: point.within95.0,
            hi95: point.within95.1,
        }
    }
}

impl From<&Scores> for BackTestScores {
    fn from(scores: &Scores) -> Self {
        Self {
            origins: saturating_u32(scores.origins),
            mase: scores.mase,
            smape: scores.smape,
            mae: scores.mae,
            coverage80: scores.coverage80,
            coverage95: scores.coverage95,
            naive_mase: scores.naive_mase,
            seasonal_naive_mase: scores.seasonal_naive_mase,
            combination_mase: scores.combination_mase,
        }
    }
}
