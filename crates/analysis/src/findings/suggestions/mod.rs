//! `suggestions`: what to do next, made from the other results alone, with what shows it.
//!
//! [`Searches`] takes in rankings, their histories and imported rows; then [`Findings`] takes in what
//! was found on the site and beside competitors, record by record. [`Findings::suggestions`] makes the
//! records, with what became of earlier ones, and [`SuggestionRecord::effect`] compares what was
//! measured before and after a fix.

mod collect;
mod draft;
mod effect;
mod evidence;
mod falls;
mod generate;
mod inputs;
mod intake;
mod kept;
mod life_cycle;
mod publish;
mod record;
mod rule;
mod score;
mod searches;
mod summary;
mod watch;

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
