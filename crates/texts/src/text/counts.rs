use super::{language::Language, sentences::sentences, syllables, words::words};
use serde::{Deserialize, Serialize};

/// Of a long word, for LIX and RIX (Björnsson 1968: more than six).
const MIN_LONG_WORD_LETTERS: usize = 7;

/// Syllable counts are `None` in languages without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Segments of UAX #29 with a letter or digit.
    pub words: usize,
    /// With at least one word.
    pub sentences: usize,
    /// With digits.
    pub letters: usize,
    /// Without white space.
    pub characters: usize,
    /// More than six letters.
    pub long_words: usize,
    pub syllables: Option<SyllableCounts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyllableCounts {
    pub total: usize,
    pub words_of_one: usize,
    pub words_of_three: usize,
    /// For the fog index: three syllables or more, in Polish four; in English without `-ed` and `-es` (Gunning 1952).
    pub hard_words: usize,
}

/// Blocks are separated by line feeds.
pub fn count(text: &str, language: Option<Language>) -> Counts {
    let mut counts = count_words(words(text), language);
    counts.sentences = sentences(text, language).len();
    counts.characters = text.chars().filter(|it| !it.is_whitespace()).count();
    counts
}

/// Without sentences; `characters` are letters only.
pub fn count_words<'a>(words: impl Iterator<Item = &'a str>, language: Option<Language>) -> Counts {
    let mut counts = Counts {
        syllables: language.map(|_| SyllableCounts::default()),
        ..Counts::default()
    };
    for word in words {
        let letters = word.chars().filter(|it| it.is_alphanumeric()).count();
        counts.words += 1;
        counts.letters += letters;
        counts.characters += letters;
        counts.long_words += usize::from(letters >= MIN_LONG_WORD_LETTERS);
        if let (Some(language), Some(sums)) = (language, &mut counts.syllables) {
            sums.add(word, syllables::count(word, language), language);
        }
    }
    counts
}

impl SyllableCounts {
    fn add(&mut self, word: &str, syllables: usize, language: Language) {
        self.total += syllables;
        self.words_of_one += usize::from(syllables == 1);
        self.words_of_three += usize::from(syllables >= 3);
        self.hard_words += usize::from(match language {
            Language::Polish => syllables >= 4,
            Language::English => syllables > 3 || (syllables == 3 && !only_by_inflection(word)),
            _ => syllables >= 3,
        });
    }
}

/// Ends in a syllable `-ed` or `-es`.
fn only_by_inflection(word: &str) -> bool {
    let endings = [
        "ted", "ded", "ses", "ces", "ges", "xes", "zes", "ches", "shes",
    ];
    let lower = word.to_lowercase();
    endings.iter().any(|it| lower.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_is_counted() {
        let counts = count(
            "Create readable pages. Tested examples help!",
            Some(Language::English),
        );
        assert_eq!(
            (counts.words, counts.sentences, counts.long_words),
            (6, 2, 2)
        );
        assert_eq!((counts.letters, counts.characters), (37, 39));
        let syllables = counts.syllables.unwrap();
        // cre-ate read-a-ble pag-es test-ed ex-am-ples help
        assert_eq!((syllables.total, syllables.words_of_one), (13, 1));
        assert_eq!((syllables.words_of_three, syllables.hard_words), (2, 2));
    }

    #[test]
    fn an_inflection_makes_no_hard_word_in_english() {
        let hard = |word: &str| count_words([word].into_iter(), Some(Language::English)).syllables;
        for (word, is_hard) in [
            ("created", 0),
            ("decided", 0),
            ("expenses", 0),
            ("banana", 1),
        ] {
            let found = hard(word).unwrap();
            assert_eq!(
                (found.words_of_three, found.hard_words),
                (1, is_hard),
                "{word}"
            );
        }
    }

    #[test]
    fn hard_polish_words_have_four_syllables() {
        let polish = ["mo-wa", "roz-mo-wa", "roz-ma-wia-nie"].map(|it| it.replace('-', ""));
        let counts = count_words(polish.iter().map(String::as_str), Some(Language::Polish));
        assert_eq!(counts.syllables.unwrap().hard_words, 1);
    }

    #[test]
    fn without_a_language_only_syllables_are_unknown() {
        let counts = count("Jedna dvě. Tři.", None);
        assert_eq!(
            (counts.words, counts.sentences, counts.syllables),
            (3, 2, None)
        );
    }

    proptest! {
        #[test]
        fn counts_agree_with_each_other(text in "\\PC{0,200}") {
            for language in Language::ALL {
                let counts = count(&text, Some(language));
                let syllables = counts.syllables.unwrap();
                prop_assert!(counts.long_words <= counts.words);
                prop_assert!(syllables.total >= counts.words);
                prop_assert!(syllables.words_of_one + syllables.words_of_three <= counts.words);
                prop_assert!(syllables.hard_words <= syllables.words_of_three);
            }
        }
    }
}
