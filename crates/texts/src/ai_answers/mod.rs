//! Analyzes one answer of an AI engine: mentions, citations, prominence and sentiment. All functions are pure, of the
//! answer and a [`brands::BrandBook`], and linear in the text.

pub mod brands;
mod citations;
mod common_words;
mod cues;
mod endings;
pub mod feelings;
mod folded;
mod judged;
mod languages;
mod mentions;
mod position;
mod recommending;
mod refusals;
mod vader;
mod visible;

pub use citations::{CitedPage, citations};
pub use judged::{AnswerMark, JudgedAnswer, JudgedState, MarkKind, Sentiment, judge};
pub use languages::Languages;
pub use mentions::{Found, Mention, mentions};
pub use position::position_adjusted;
pub use vader::compound as vader_compound;
pub use visible::Visible;

/// Version of the detection rules; every change of a rule or list needs a new one.
pub const DETECTOR_VERSION: &str = "ai-mentions/1";
