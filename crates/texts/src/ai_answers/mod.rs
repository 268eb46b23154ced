//! Analyzes one answer of an AI engine: mentions, citations, prominence and sentiment. All functions are pure, of the
//! answer and a [`brands::BrandBook`], and linear in the text.

pub mod brands;
mod citations;
mod common_words;
mod cues;
mod endings;
mod evaluate;
mod folded;
mod languages;
mod mentions;
mod position;
mod prose;
mod recommending;
mod refusals;
pub mod sentiment;
mod vader;

pub use citations::{CitedPage, citations};
pub use evaluate::{AnswerMark, EvaluatedAnswer, EvaluatedState, MarkKind, Sentiment, evaluate};
pub use languages::Languages;
pub use mentions::{FoundMentions, Mention, mentions};
pub use position::position_adjusted;
pub use prose::Prose;
pub use vader::compound as vader_compound;

/// Version of the detection rules; every change of a rule or list needs a new one.
pub const DETECTOR_VERSION: &str = "ai-mentions/1";
