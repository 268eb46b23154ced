//! `ai-trends`: visibility in AI answers over time, and whether it changed. Definitions: `docs/measurement/ai-trends.md`. One
//! record per engine for a project, or for a keyword. Changes are reported only between answers to the same prompts, of
//! the same model, by the same rules; everything else starts a new segment, and segments are not compared.

mod bins;
mod compare;
mod evaluate;
mod fold;
mod movers;
mod record;
mod summary;

pub use bins::TrendPeriod;
pub use evaluate::{TrendInput, trend};
pub use fold::TallyFold;
pub use record::{
    AiTrendPoint, AiTrendRecord, CitedDomainChange, DriftFlag, DriftKind, KeywordMove, RateChange,
    TrendDirection, TrendReason, TrendVerdict,
};

pub use summary::{AiTrendsSummary, EngineTrend};

pub const METHOD_VERSION: &str = "ai-trends/1";

/// Per side of a comparison.
pub const MIN_ANSWERS: u64 = 5;
/// Periods before the last full one that it is compared with.
pub const PERIODS_BEFORE: usize = 4;
/// Expected share of false positives among the reported keywords.
pub const FALSE_DISCOVERY_RATE: f64 = 0.10;

#[cfg(test)]
mod tests;
