use super::*;
use proptest::prelude::*;

fn uses(text: &str, phrase: &str, language: Language) -> (usize, usize, Option<usize>) {
    let found = IndexedText::new(text, Some(language)).uses(phrase);
    (found.exact, found.folded, found.inflected)
}

#[test]
fn case_and_punctuation_do_not_matter_and_order_does() {
    let text = "Running Shoes! Best running-shoes. Shoes running.";
    assert_eq!(uses(text, "running shoes", Language::English).0, 2);
}

#[test]
fn diacritics_are_folded_apart_from_the_exact_uses() {
    // Stemming drops the ending with its diacritics.
    let text = "Levné letenky. levne letenky. Levné Letenky!";
    assert_eq!(
        uses(text, "levné letenky", Language::Czech),
        (2, 3, Some(3))
    );
}

#[test]
fn inflections_are_found_by_stems() {
    let text = "The best hotel in town. Our hotels are best. A best-of list of hotels.";
    assert_eq!(uses(text, "hotel", Language::English), (1, 1, Some(3)));
    let text = "Pronájem bytu. Pronájmy bytů. Byt k pronájmu.";
    assert_eq!(uses(text, "byt", Language::Czech).2, Some(3));
    let text = "Prenájom bytu. Byty na prenájom. V byte.";
    assert_eq!(uses(text, "byt", Language::Slovak).2, Some(3));
}

#[test]
fn a_phrase_does_not_cross_blocks() {
    assert_eq!(
        uses("Running\nshoes", "running shoes", Language::English).0,
        0
    );
    assert_eq!(
        uses("Running shoes", "running shoes", Language::English).0,
        1
    );
}

#[test]
fn uses_do_not_overlap() {
    assert_eq!(uses("la la la la la", "la la", Language::Spanish).0, 2);
}

#[test]
fn a_phrase_is_stuffed_from_eight_uses_and_three_percent_on() {
    let filler = |count: usize| vec!["word"; count].join(" ");
    let stuffed = |uses: usize, others: usize| {
        let text = format!("{}\n{}", "cheap flights\n".repeat(uses), filler(others));
        IndexedText::new(&text, Some(Language::English)).uses("cheap flights")
    };
    // 16 of 500 words are 3.2 %, 14 of 300 are 4.7 % in seven uses, 16 of 600 are 2.7 %.
    let found = stuffed(8, 484);
    assert_eq!(
        (found.exact, found.density, found.stuffed),
        (8, Some(16.0 / 500.0), true)
    );
    assert!(!stuffed(7, 286).stuffed);
    assert!(!stuffed(8, 584).stuffed);
}

#[test]
fn empty_texts_and_phrases_have_no_density() {
    let found = IndexedText::new("", Some(Language::English)).uses("word");
    assert_eq!(
        (found.exact, found.density, found.stuffed),
        (0, None, false)
    );
    assert_eq!(IndexedText::new("a b c", None).uses("—!").exact, 0);
    assert_eq!(IndexedText::new("a b c", None).uses("b").inflected, None);
}

#[test]
fn question_headings_are_detected() {
    for (heading, language) in [
        ("What is SEO", Language::English),
        ("Is it free?", Language::English),
        ("Wie funktioniert das", Language::German),
        ("¿Cómo se hace?", Language::Spanish),
        ("Co je to SEO", Language::Czech),
        ("Prečo práve my", Language::Slovak),
    ] {
        assert!(is_question(heading, Some(language)), "{heading}");
    }
    for heading in [
        "Pricing",
        "When in Rome",
        "What",
        "Whatever happens next",
        "",
    ] {
        assert!(!is_question(heading, Some(Language::English)), "{heading}");
    }
    assert!(!is_question("Was ist das", None));
}

#[test]
fn the_share_of_questions_is_unknown_without_headings() {
    let share = |headings: &[&str]| question_share(headings.iter().copied(), None);
    assert_eq!(share(&[]), None);
    assert_eq!(share(&["Why?", "Prices", "Terms", "How?"]), Some(0.5));
}

proptest! {
    #[test]
    fn looser_comparison_never_finds_fewer_uses(text in "([a-cá-ď]{1,3}[ ,\\n]){0,40}", phrase in "[a-cá-ď]{1,3}( [a-cá-ď]{1,2})?") {
        for language in [Language::Czech, Language::Slovak, Language::English] {
            let (exact, folded, inflected) = uses(&text, &phrase, language);
            prop_assert!(exact <= folded);
            prop_assert!(exact <= inflected.unwrap());
        }
    }

    #[test]
    fn the_plain_text_check_is_right(text in "[a-zé\u{301}\u{1100}\u{1161}가ł…и\u{306}й ]{0,8}|\\PC{0,8}") {
        let long_way: String = text.nfd().filter(|it| !is_combining_mark(*it)).nfc().collect();
        prop_assert_eq!(without_diacritics(&text), long_way);
    }

    #[test]
    fn repetitions_are_counted(count in 0_usize..30) {
        let found = IndexedText::new(&"red shoes. ".repeat(count), Some(Language::English)).uses("red shoe");
        prop_assert_eq!(found.inflected, Some(count));
        prop_assert_eq!(found.exact, 0);
    }

    #[test]
    fn any_text_and_phrase_can_be_compared(text in any::<String>(), phrase in any::<String>()) {
        let found = IndexedText::new(&text, Some(Language::Hungarian)).uses(&phrase);
        prop_assert!(found.density.is_none_or(|it| (0.0..=1.0).contains(&it)));
    }
}

proptest::proptest! {
    /// Words skipped for speed change nothing.
    #[test]
    fn indexing_for_phrases_counts_the_same(text in "([a-záéčřž]{1,6}[ .\n]){0,40}", phrase in "[a-záéčřž]{1,4}( [a-z]{1,4})?") {
        for language in [None, Some(Language::English), Some(Language::Czech), Some(Language::German)] {
            let whole = IndexedText::new(&text, language);
            let part = IndexedText::for_phrases(&text, language, &[&phrase]);
            proptest::prop_assert_eq!(whole.uses(&phrase), part.uses(&phrase));
            proptest::prop_assert_eq!(whole.words(), part.words());
        }
    }
}
