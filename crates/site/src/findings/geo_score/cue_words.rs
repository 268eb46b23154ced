//! Cue words of definitions, comparisons and quotations, by language.

use crate::{table::records, text::language::Language};
use regex::Regex;
use std::{collections::BTreeMap, sync::LazyLock};

pub struct CueWords {
    /// Verbs between a subject and its definition.
    definition: Regex,
    pronouns: Vec<&'static str>,
    pub comparison: Regex,
    pub reporting: Regex,
}

/// `None` for languages without a list.
pub fn cue_words(language: Option<Language>) -> Option<&'static CueWords> {
    CUE_WORDS.get(&language?)
}

static CUE_WORDS: LazyLock<BTreeMap<Language, CueWords>> = LazyLock::new(|| {
    let lists = records::<5>(include_str!("words_that_tell.tsv"));
    lists
        .filter_map(|[language, verbs, pronouns, comparison, reporting]| {
            // `\W` instead of `\b`, which is slow next to letters that are not ASCII.
            let alone = |it: &str| Regex::new(&format!(r"(?i)(?:^|\W)(?:{it})(?:\W|$)")).ok();
            Some((
                Language::from_tag(language)?,
                CueWords {
                    definition: alone(verbs)?,
                    pronouns: pronouns.split('|').collect(),
                    comparison: alone(comparison)?,
                    reporting: alone(reporting)?,
                },
            ))
        })
        .collect()
});

/// Minimum words of a definition.
const MIN_WORDS: usize = 6;
/// Characters that contain its subject and verb.
const SUBJECT_CHARACTERS: usize = 120;

impl CueWords {
    /// Whether a defining verb comes before the first punctuation mark, and not after a pronoun.
    pub fn is_definition(&self, sentence: &str) -> bool {
        let head = sentence.split([',', '.', ';', ':', '!', '?']).next();
        let head = crate::text::words::shortened(head.unwrap_or_default(), SUBJECT_CHARACTERS);
        let mut all = head.split_whitespace();
        let first = all.next().unwrap_or_default().to_lowercase();
        let begins_well = !self.pronouns.contains(&first.as_str())
            && !self
                .pronouns
                .iter()
                .any(|it| it.ends_with(['\'', '’']) && first.starts_with(it));
        let after_subject = head.trim_start().get(first.len()..).unwrap_or_default();
        begins_well
            && all.next().is_some()
            && self.definition.is_match(after_subject)
            && crate::text::words::words(sentence).take(MIN_WORDS).count() == MIN_WORDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_words() {
        assert_eq!(CUE_WORDS.len(), Language::ALL.len());
        assert!(cue_words(None).is_none());
    }

    #[test]
    fn definitions_are_recognized_by_their_verbs() {
        for (language, sentence) in [
            (
                Language::English,
                "Compound interest is the interest on a loan and its interest.",
            ),
            (
                Language::German,
                "Der Zinseszins ist ein Zins, der auf Zinsen gezahlt wird.",
            ),
            (
                Language::French,
                "L'intérêt composé est un intérêt calculé sur les intérêts.",
            ),
            (
                Language::Spanish,
                "El interés compuesto es un tipo de interés sobre intereses.",
            ),
            (
                Language::Czech,
                "Složené úročení je způsob úročení, při němž se úroky úročí.",
            ),
            (
                Language::Polish,
                "Procent składany to sposób oprocentowania wkładu wraz z odsetkami.",
            ),
            (
                Language::Russian,
                "Сложный процент — это начисление процентов на проценты по вкладу.",
            ),
        ] {
            assert!(
                cue_words(Some(language)).unwrap().is_definition(sentence),
                "{sentence}"
            );
        }
        let english = cue_words(Some(Language::English)).unwrap();
        for sentence in [
            "It is a very long day for all of us here.",
            "Rust is fast.",
            "We walked to the shop and bought some bread for dinner.",
        ] {
            assert!(!english.is_definition(sentence), "{sentence}");
        }
    }

    #[test]
    fn comparisons_and_reporting_verbs_are_recognized() {
        let english = cue_words(Some(Language::English)).unwrap();
        assert!(english.comparison.is_match("SQLite vs. PostgreSQL"));
        assert!(!english.comparison.is_match("A canvas bag"));
        assert!(english.reporting.is_match("as Jane Doe said"));
    }
}
