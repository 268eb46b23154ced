//! `ai-visibility`: how often and how prominently answers of an AI engine name the project and cite
//! its site, with how sure that is.
//!
//! Definitions: `docs/MEASUREMENT.md`. One record per keyword and engine, and one per engine for the
//! branded prompts. Answers are samples: rates have intervals, and what is no answer (a failure, a
//! refusal, an empty text) is counted beside the rates and never in them.

mod competitors;
mod judge;
mod pages;
mod record;
mod score;
mod summary;
mod tally;

pub use judge::{VisibilityInput, VisibilitySubject, visibility};
pub use record::{
    AiVisibilityRecord, AnswerFailure, AnswerRow, CitedDomain, CitedDomainType, CitedOwnUrl,
    CitedPageTypeRow, CompetitorRates, ModelCount, PromptPanelKind, SentimentCounts,
    SentimentMethod,
};
pub use score::{ScoreParts, ai_visibility_score};
pub use summary::{AiVisibilitySummary, CompetitorVisibility, EngineVisibility, EngineWeights};
pub use tally::{LeftOut, PromptTally, tallies};

/// The definition that the records follow.
pub const METHOD_VERSION: &str = "ai-visibility/1";

/// Fewer answers do not tell.
pub const LEAST_ANSWERS: u64 = 5;

/// There are fewer than [`LEAST_ANSWERS`] answers.
pub const FEW_ANSWERS: &str = "fewAnswers";
/// Nobody is followed beside the project: shares among brands are not told.
pub const NO_COMPETITORS: &str = "noCompetitors";
/// There are no prompts in the language: the keyword alone was asked.
pub const NO_TEMPLATES: &str = "languageWithoutPrompts";
/// Some questions brought no answer because something failed.
pub const ANSWERS_FAILED: &str = "answersFailed";
/// Some were refused.
pub const ANSWERS_REFUSED: &str = "answersRefused";
/// Some answers had no text.
pub const ANSWERS_EMPTY: &str = "answersEmpty";
/// For some questions the engine showed no answer.
pub const ANSWERS_NOT_SHOWN: &str = "answersNotShown";
/// Some answers ended at the limit of their length.
pub const ANSWERS_CUT_SHORT: &str = "answersCutShort";
/// Some answers were given without a search.
pub const SEARCH_NOT_MADE: &str = "searchNotMade";
/// More than one model answered.
pub const MODELS_MIXED: &str = "modelsMixed";
/// A name that may be a word stands where nothing tells which.
pub const AMBIGUOUS_MENTIONS: &str = "ambiguousMentions";
/// The engine has no sources.
pub const NO_CITATIONS: &str = "citationsNotApplicable";

#[cfg(test)]
pub(crate) mod tests;
