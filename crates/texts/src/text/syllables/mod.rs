//! Syllables. English: the CMU pronouncing dictionary, then rules (`english`). Others: Liang's hyphenation patterns, as
//! in Python's `pyphen` and `textstat`, the reference implementation of the formulas: hyphenation points plus one, with
//! two letters on either side. That is slightly less than spoken, since one-letter syllables at the ends (`a-no`,
//! `u-tán`) are not separated. [`by_vowels`] counts spoken syllables in languages with phonetic spelling.

pub mod english;
mod hyphenation;
mod vowels;

use super::language::Language;

/// At least 1; a number or an abbreviation without vowels has one.
pub fn count(word: &str, language: Language) -> usize {
    match language {
        Language::English => english::count(word),
        _ => hyphenation::count(word, language),
    }
}

/// As spoken, at least 1; `None` in languages without phonetic spelling.
pub fn by_vowels(word: &str, language: Language) -> Option<usize> {
    vowels::nuclei(&word.to_lowercase(), language).map(|it| it.max(1))
}

#[cfg(test)]
mod tests;
