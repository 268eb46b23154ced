//! `forecast`: forecasts of positions, visibility, traffic and mention rates. Definitions: `docs/measurement/forecast.md`;
//! methods: [`crate::forecast`]. One record per series; it has a refusal instead of points if there is no forecast.

mod conversions;
mod evaluate;
mod quantity;
mod record;
mod summary;

pub use evaluate::{ForecastInput, HistorySource, forecast};
pub use quantity::Quantity;
pub use record::{
    BackTestScores, ForecastFrequency, ForecastMethod, ForecastPoint, ForecastQuality,
    ForecastRecord, ForecastRefusal, ForecastTarget, ForecastUnit, HistorySpan, RefusalReason,
    Seasonality, SeriesTrend, TargetChance,
};
pub use summary::{ForecastSummary, ForecastTally};

pub const METHOD_VERSION: &str = "forecast/1";

/// The last value is published, since the combination had a larger error in the back-test.
pub const NAIVE_IS_BETTER: &str = "naiveIsBetter";
/// Some or all intervals are by normal theory, since there were fewer than twenty past errors.
pub const NORMAL_INTERVALS: &str = "intervalsFromNormalTheory";
/// The horizon is shorter than requested, because of the history's length.
pub const HORIZON_SHORTENED: &str = "horizonShortened";
/// Older values before a gap of more than two days or weeks were dropped.
pub const CUT_AT_GAP: &str = "historyCutAtGap";
/// The level shifted, and earlier values were dropped.
pub const LEVEL_SHIFT: &str = "levelShift";
/// The history is too short for a back-test.
pub const NO_BACK_TEST: &str = "noBackTest";

#[cfg(test)]
mod tests;
