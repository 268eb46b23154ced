//! English: the CMU pronouncing dictionary, then rules (`english`). Others: Liang's hyphenation patterns, as Python's
//! `pyphen` and `textstat` count: one more than the breaks with two letters on either side. The formulas' reference
//! implementation counts so; it is a little less than spoken, since one-letter syllables at the ends (`a-no`, `u-tán`)
//! cannot be broken off. [`by_vowels`] counts spoken ones in languages whose spelling tells.

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

/// As spoken, at least 1; syllabic r and l in Czech and Slovak. `None` in languages whose spelling does not tell.
pub fn by_vowels(word: &str, language: Language) -> Option<usize> {
    vowels::nuclei(&word.to_lowercase(), language).map(|it| it.max(1))
}

#[cfg(test)]
mod tests;
