//! `ai-trends`: visibility in AI answers over time, and whether it moved. Definitions: `docs/MEASUREMENT.md`. One
//! record per engine for a project, or for a keyword. A change is told only between answers to the same prompts, of the
//! same model, by the same rules; everything else starts a new segment, over which nothing is compared.

mod bins;
mod compare;
mod fold;
mod judge;
mod movers;
mod record;
mod summary;

pub use bins::TrendPeriod;
pub use fold::TallyFold;
pub use judge::{TrendInput, trend};
pub use record::{
    AiTrendPoint, AiTrendRecord, CitedDomainChange, DriftFlag, DriftKind, KeywordMove, RateChange,
    TrendDirection, TrendReason, TrendVerdict,
};

pub use summary::{AiTrendsSummary, EngineTrend};

pub const METHOD_VERSION: &str = "ai-trends/1";

/// Fewer answers on one side are not compared.
pub const LEAST_ANSWERS: u64 = 5;
/// Periods before the last full one that it is compared with.
pub const PERIODS_BEFORE: usize = 4;
/// Of keywords said to have moved, the share that has not, on average.
pub const FALSE_DISCOVERIES: f64 = 0.10;

#[cfg(test)]
mod tests;
