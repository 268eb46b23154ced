//! Syllables of words.
//!
//! English: the CMU pronouncing dictionary, then rules (`english`). The other languages: Liang's
//! hyphenation patterns, as Python's `pyphen` and `textstat` count: one more than the places where a
//! word may be broken with two letters on either side. That is what the formulas' reference
//! implementation counts, and it is a little less than what is spoken, since a syllable of one
//! letter at an end of a word (`a-no`, `u-tán`) cannot be broken off. [`by_vowels`] counts what is
//! spoken in languages whose spelling tells it.

pub mod english;
mod hyphenation;
mod vowels;

use super::language::Language;

/// The syllables of one word, at least 1; a number or an abbreviation without vowels has one.
#[must_use]
pub fn count(word: &str, language: Language) -> usize {
    match language {
        Language::English => english::count(word),
        _ => hyphenation::count(word, language),
    }
}

/// Syllables as spoken, at least 1, by vowels and, in Czech and Slovak, syllabic r and l; `None` in
/// languages whose spelling does not tell.
#[must_use]
pub fn by_vowels(word: &str, language: Language) -> Option<usize> {
    vowels::nuclei(&word.to_lowercase(), language).map(|it| it.max(1))
}

#[cfg(test)]
mod tests;
