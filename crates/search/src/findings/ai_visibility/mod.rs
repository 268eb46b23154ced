//! `ai-visibility`: how often and how prominently answers of an AI engine name the project and cite
//! its site, with confidence intervals.
//!
//! Definitions: `docs/measurement/ai-visibility.md`. One record per keyword and engine, and one per engine for the
//! branded prompts. Failures, refusals and empty texts are counted separately and are never part of
//! the rates.

mod competitors;
mod evaluate;
mod pages;
mod record;
mod score;
mod summary;
mod tally;

pub use evaluate::{VisibilityInput, VisibilitySubject, visibility};
pub use record::{
    AiVisibilityRecord, AnswerFailure, AnswerRow, CitedDomain, CitedDomainType, CitedOwnUrl,
    CitedPageTypeRow, CompetitorRates, ModelCount, PromptPanelKind, SentimentCounts,
    SentimentMethod,
};
pub use score::{ScoreParts, ai_visibility_score};
pub use summary::{AiVisibilitySummary, CompetitorVisibility, EngineVisibility, EngineWeights};
pub use tally::{LeftOut, PromptTally, tallies};

pub const METHOD_VERSION: &str = "ai-visibility/1";

pub const MIN_ANSWERS: u64 = 5;

pub const FEW_ANSWERS: &str = "fewAnswers";
/// Without competitors there are no shares among brands.
pub const NO_COMPETITORS: &str = "noCompetitors";
/// The language has no templates: the keyword was the only prompt.
pub const NO_TEMPLATES: &str = "languageWithoutPrompts";
pub const ANSWERS_FAILED: &str = "answersFailed";
pub const ANSWERS_REFUSED: &str = "answersRefused";
pub const ANSWERS_EMPTY: &str = "answersEmpty";
pub const ANSWERS_NOT_SHOWN: &str = "answersNotShown";
/// Some answers were cut off at the length limit.
pub const ANSWERS_CUT_SHORT: &str = "answersCutShort";
pub const SEARCH_NOT_MADE: &str = "searchNotMade";
pub const MODELS_MIXED: &str = "modelsMixed";
/// A brand name that is also a common word occurs without a deciding cue.
pub const AMBIGUOUS_MENTIONS: &str = "ambiguousMentions";
pub const NO_CITATIONS: &str = "citationsNotApplicable";

#[cfg(test)]
pub(crate) mod tests;
