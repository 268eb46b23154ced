//! `suggestions`: what to do next, derived from the other results, with evidence.
//!
//! [`Searches`] collects rankings, their histories and imported rows; then [`Findings`] collects the
//! other records. [`Findings::suggestions`] returns the records, with updated states of earlier ones;
//! [`SuggestionRecord::effect`] compares measurements before and after a fix.

mod collect;
mod collected;
mod declines;
mod draft;
mod effect;
mod evidence;
mod evidence_tracker;
mod generate;
mod inputs;
mod intake;
mod life_cycle;
mod publish;
mod record;
mod rule;
mod score;
mod searches;
mod summary;

pub use collect::Findings;
pub use effect::{Effect, EffectSeries, EffectSide, Observation, Trials, Verdict};
pub use evidence::{Evidence, EvidenceSource, Figure, ImportedSource, RecordRef, resolves};
pub use inputs::{
    AiAnswers, AiCitedPageType, AiCompetitor, ConsoleRow, DayClicks, SuggestionContext,
};
pub use record::{
    ExpectedGain, GainMetric, GainRange, ReachBasis, State, SuggestionRecord, Superseded,
};
pub use rule::{Category, EffectMetric, Rule, Severity, rules};
pub use score::{priority, scale, value};
pub use searches::Searches;
pub use summary::{EffectCounts, SuggestionLine, SuggestionsSummary};

pub const METHOD_VERSION: &str = "suggestions/2";

#[cfg(test)]
mod tests;
