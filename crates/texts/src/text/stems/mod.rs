//! Snowball stemmers (crate `snowball_stemmers_rs`, from Snowball 3.0, with Czech and Polish), and our own for Slovak.

mod slovak;

use super::language::Language;
use snowball_stemmers_rs::{Algorithm, Stemmer};

/// Longer words are their own stem.
const MAX_WORD_BYTES: usize = 128;

/// `word` must be in lower case.
pub fn stem(word: &str, language: Language) -> String {
    if word.len() > MAX_WORD_BYTES {
        return word.to_owned();
    }
    let stem = match algorithm(language) {
        Some(algorithm) => Stemmer::create(algorithm).stem(word).into_owned(),
        None => slovak::stem(word),
    };
    // A word that is only an ending (`'s`) is its own stem.
    if stem.is_empty() {
        word.to_owned()
    } else {
        stem
    }
}

const fn algorithm(language: Language) -> Option<Algorithm> {
    Some(match language {
        Language::English => Algorithm::English,
        Language::German => Algorithm::German,
        Language::Spanish => Algorithm::Spanish,
        Language::French => Algorithm::French,
        Language::Italian => Algorithm::Italian,
        Language::Dutch => Algorithm::Dutch,
        Language::Russian => Algorithm::Russian,
        Language::Hungarian => Algorithm::Hungarian,
        Language::Czech => Algorithm::Czech,
        Language::Polish => Algorithm::Polish,
        Language::Slovak => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Stems of Python's `snowballstemmer` 3.1.1 (`tests/oracles/stems.py`).
    #[test]
    fn stems_are_those_of_snowball() {
        for (language, words) in [
            (
                Language::English,
                [("running", "run"), ("optimizations", "optim")],
            ),
            (
                Language::German,
                [("häuser", "haus"), ("schnellere", "schnell")],
            ),
            (
                Language::Spanish,
                [("canciones", "cancion"), ("rápidas", "rap")],
            ),
            (
                Language::Hungarian,
                [("házakban", "ház"), ("keresés", "keresés")],
            ),
        ] {
            for (word, expected) in words {
                assert_eq!(stem(word, language), expected);
            }
        }
    }

    #[test]
    fn cases_of_a_word_have_one_stem() {
        for (language, forms) in [
            (
                Language::Czech,
                ["stránka", "stránky", "stránce", "stránkou"].as_slice(),
            ),
            (
                Language::Slovak,
                &[
                    "stránka",
                    "stránky",
                    "stránke",
                    "stránkou",
                    "stránkam",
                    "stránkach",
                ],
            ),
            (
                Language::Slovak,
                &["kniha", "knihy", "knihe", "kníh", "knihami"],
            ),
            (
                Language::Slovak,
                &[
                    "rýchly",
                    "rýchla",
                    "rýchleho",
                    "rýchlemu",
                    "rýchlych",
                    "rýchlymi",
                    "rýchlejší",
                ],
            ),
            (
                Language::Slovak,
                &[
                    "hotel", "hotela", "hotely", "hotelov", "hoteloch", "hotelom",
                ],
            ),
            (
                Language::Polish,
                &["samochodu", "samochodem", "samochody", "samochodami"],
            ),
        ] {
            let stems: std::collections::BTreeSet<String> =
                forms.iter().map(|it| stem(it, language)).collect();
            assert_eq!(stems.len(), 1, "{stems:?}");
        }
    }

    #[test]
    fn different_words_keep_different_stems() {
        for (one, other) in [("hotel", "hora"), ("obchod", "obchodník"), ("rad", "rada")] {
            // "rad" and "rada" coincide: a light stemmer cannot distinguish them.
            let equal = stem(one, Language::Slovak) == stem(other, Language::Slovak);
            assert_eq!(equal, one == "rad", "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn any_word_has_a_stem(word in "\\PC{0,40}") {
            let word = word.to_lowercase();
            for language in Language::ALL {
                let stem = stem(&word, language);
                // German writes "ß" as "ss", Dutch doubles vowels.
                prop_assert!(stem.chars().count() <= 2 * word.chars().count() + 1, "{} {}", word, stem);
            }
        }

        #[test]
        fn words_of_the_language_can_be_stemmed(word in "[a-zá-žа-яёőű'’]{0,30}") {
            for language in Language::ALL {
                prop_assert_eq!(stem(&word, language).is_empty(), word.is_empty());
            }
        }
    }
}
