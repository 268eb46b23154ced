//! Readability: one variant of Flesch per language, LIX, RIX, for some languages more formulas and a school grade.

mod band;
mod formula;

pub use band::Band;
pub use formula::{Formula, Status};

use super::{counts::Counts, language::Language};
use crate::ToSchema;
use serde::Serialize;

/// Averages over fewer words are not reliable.
pub const MIN_WORDS: usize = 100;

/// What one formula gives.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// Which formula.
    pub formula: Formula,
    /// Whether the formula was published for this language.
    pub status: Status,
    /// Its result, not rounded and not clipped: a Flesch score can leave 0 to 100.
    pub value: f64,
}

/// All scores of a text.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Readability {
    /// Reading ease of the Flesch kind, 100 easy, 0 hard; `None` in languages without a formula.
    pub reading_ease: Option<Score>,
    /// The band of the reading ease, else that of LIX.
    pub band: Band,
    /// Björnsson's LIX, comparable over languages: 20 easy, 60 hard.
    pub lix: Score,
    /// Anderson's RIX: long words per sentence.
    pub rix: Score,
    /// Years of school, by the language's own formula.
    pub grade: Option<Score>,
    /// The other formulas of the language.
    pub others: Vec<Score>,
}

/// `None` below 100 words or without a sentence.
pub fn readability(counts: &Counts, language: Option<Language>) -> Option<Readability> {
    if counts.words < MIN_WORDS {
        return None;
    }
    let lix = Formula::Lix.score(counts)?;
    let reading_ease = language
        .and_then(Formula::reading_ease)
        .and_then(|it| it.score(counts));
    Some(Readability {
        reading_ease,
        band: reading_ease.map_or_else(|| Band::of_lix(lix.value), |it| Band::of_flesch(it.value)),
        lix,
        rix: Formula::Rix.score(counts)?,
        grade: language
            .and_then(Formula::grade)
            .and_then(|it| it.score(counts)),
        others: language.map_or_else(Vec::new, |it| {
            let others = Formula::others(it).iter();
            others.filter_map(|it| it.score(counts)).collect()
        }),
    })
}

#[cfg(test)]
mod tests;
