use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// How hard a text reads, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Band {
    /// Flesch 90 and above.
    VeryEasy,
    /// Flesch 80 to 90; LIX below 30.
    Easy,
    /// Flesch 70 to 80; LIX 30 to 40.
    FairlyEasy,
    /// Flesch 60 to 70; LIX 40 to 50.
    Standard,
    /// Flesch 50 to 60.
    FairlyDifficult,
    /// Flesch 30 to 50; LIX 50 to 60.
    Difficult,
    /// Flesch below 30; LIX from 60 on.
    VeryDifficult,
}

impl Band {
    /// Flesch's bands (1948); other languages' formulas are scaled to them.
    pub fn of_flesch(score: f64) -> Self {
        match score {
            it if it >= 90.0 => Self::VeryEasy,
            it if it >= 80.0 => Self::Easy,
            it if it >= 70.0 => Self::FairlyEasy,
            it if it >= 60.0 => Self::Standard,
            it if it >= 50.0 => Self::FairlyDifficult,
            it if it >= 30.0 => Self::Difficult,
            _ => Self::VeryDifficult,
        }
    }

    /// Below 30 children's books, 40 fiction, 50 factual prose, 60 technical prose.
    pub fn of_lix(score: f64) -> Self {
        match score {
            it if it < 30.0 => Self::Easy,
            it if it < 40.0 => Self::FairlyEasy,
            it if it < 50.0 => Self::Standard,
            it if it < 60.0 => Self::Difficult,
            _ => Self::VeryDifficult,
        }
    }
}
