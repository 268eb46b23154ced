//! `forecast`: where a position, the visibility, the traffic or the mentions are heading. Definitions:
//! `docs/MEASUREMENT.md`; the mathematics: [`crate::forecast`]. One record per series. A series that does not allow a
//! forecast has a record that says why, and no points.

mod judge;
mod quantity;
mod record;
mod summary;
mod words;

pub use judge::{ForecastInput, HistorySource, forecast};
pub use quantity::Quantity;
pub use record::{
    BackTestScores, ForecastFrequency, ForecastMethod, ForecastPoint, ForecastQuality,
    ForecastRecord, ForecastRefusal, ForecastTarget, ForecastUnit, HistorySpan, RefusalReason,
    Seasonality, SeriesTrend, TargetChance,
};
pub use summary::{ForecastSummary, ForecastTally};

pub const METHOD_VERSION: &str = "forecast/1";

/// The last value is published, because the combination was farther off in the back-test.
pub const NAIVE_IS_BETTER: &str = "naiveIsBetter";
/// Some intervals, or all, rest on normal theory: there were fewer than twenty past errors.
pub const NORMAL_INTERVALS: &str = "intervalsFromNormalTheory";
/// The forecast reaches less far than was asked, because of the history's length.
pub const HORIZON_SHORTENED: &str = "horizonShortened";
/// Older values lie beyond a gap of more than two days or weeks and were left out.
pub const CUT_AT_GAP: &str = "historyCutAtGap";
/// The level jumped, and what came before was left out.
pub const LEVEL_SHIFT: &str = "levelShift";
/// The history is too short to tell how good the forecast is.
pub const NO_BACK_TEST: &str = "noBackTest";

#[cfg(test)]
mod tests;
