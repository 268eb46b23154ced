//! What one answer of an AI engine says: whom it names, what it cites, how prominently, how kindly. Everything is a
//! pure function of the answer and a [`brands::BrandBook`], linear in the text.

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

/// The rules by which names are found; a change of any rule or list is a new version.
pub const DETECTOR_VERSION: &str = "ai-mentions/1";
