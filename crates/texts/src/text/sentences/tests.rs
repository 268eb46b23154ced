use super::*;
use proptest::prelude::*;

fn counted(text: &str, language: Language) -> usize {
    sentences(text, Some(language)).len()
}

#[test]
fn sentences_are_slices_without_white_space_around() {
    assert_eq!(
        sentences("One.  Two? Three!\nA heading\nAnd (four).", None),
        ["One.", "Two?", "Three!", "A heading", "And (four)."]
    );
}

#[test]
fn the_documented_sample_has_three_sentences() {
    let sample = "The Web Content Accessibility Guidelines explain how to make web content more accessible to people with disabilities. They cover many recommendations. Following them makes content usable for everyone.";
    assert_eq!(counted(sample, Language::English), 3);
}

#[test]
fn an_abbreviation_does_not_end_a_sentence() {
    for (language, text) in [
        (
            Language::English,
            "Mr. Smith met Dr. Jones, e.g. Tuesday at St. James.",
        ),
        (
            Language::German,
            "Dr. Müller wohnt z.B. Berlin, z. B. Mitte, bzw. Köln.",
        ),
        (
            Language::Spanish,
            "El Sr. García vive en la Av. América, p.ej. Madrid.",
        ),
        (Language::French, "Mme. Dupont et M. Martin, cf. Paris."),
        (
            Language::Italian,
            "Il Sig. Rossi e la Dott.ssa Bianchi, cfr. Roma.",
        ),
        (
            Language::Dutch,
            "Dhr. Jansen en mevr. De Vries, bijv. Utrecht.",
        ),
        (
            Language::Russian,
            "Это ул. Ленина, т.е. Москва, см. Приложение.",
        ),
        (
            Language::Hungarian,
            "Dr. Kovács pl. Budapesten él, kb. Pest közepén.",
        ),
        (
            Language::Czech,
            "Ing. Novák např. Praha, tzv. Malá Strana, viz. Karlín.",
        ),
        (
            Language::Slovak,
            "Mgr. Kováč napr. Bratislava, tzv. Staré Mesto.",
        ),
        (
            Language::Polish,
            "Prof. Nowak mieszka przy ul. Długiej, np. Kraków.",
        ),
    ] {
        assert_eq!(counted(text, language), 1, "{text}");
    }
}

#[test]
fn an_abbreviation_that_can_close_a_sentence_does() {
    assert_eq!(
        counted("Apples, pears, etc. They are sold.", Language::English),
        2
    );
    assert_eq!(
        counted("Jablka, hrušky atd. Prodávají se.", Language::Czech),
        2
    );
    assert_eq!(
        counted("Apples, pears, etc. are sold.", Language::English),
        1
    );
}

#[test]
fn initials_belong_to_the_name_in_any_language() {
    assert_eq!(
        sentences("J. R. R. Tolkien wrote. He smoked.", None).len(),
        2
    );
}

#[test]
fn numbers_are_ordinals_where_they_are_written_so() {
    for (language, text) in [
        (Language::German, "Am 3. Oktober wird gefeiert."),
        (
            Language::Czech,
            "Karel IV. Lucemburský zemřel 29. Listopadu.",
        ),
        (Language::Hungarian, "A 19. Század végén történt."),
    ] {
        assert_eq!(counted(text, language), 1, "{text}");
    }
    assert_eq!(counted("There were 3. They left.", Language::English), 2);
    assert_eq!(
        counted("Es geschah 1989. Dann kam mehr.", Language::German),
        2
    );
}

#[test]
fn some_abbreviations_count_only_before_a_number() {
    assert_eq!(
        counted("See No. 5 and Fig. 7 of Sec. 12.", Language::English),
        1
    );
    assert_eq!(counted("He said no. Then he left.", Language::English), 2);
    assert_eq!(counted("Siehe Abb. 3 und Art. 20 GG.", Language::German), 1);
    assert_eq!(
        counted("Fragen dieser Art. Danach mehr.", Language::German),
        2
    );
}

#[test]
fn a_line_feed_always_ends_a_sentence() {
    assert_eq!(counted("Contact: Dr.\nSmith", Language::English), 2);
}

#[test]
fn empty_texts_and_punctuation_have_no_sentence() {
    assert!(sentences("", None).is_empty());
    assert!(sentences("… ! ? —\n\n***", None).is_empty());
}

proptest! {
    #[test]
    fn no_word_is_lost_or_counted_twice(text in "([A-Za-z0-9áéčšž,;:'-]{0,9}[ .!?\n]{0,3}){0,60}") {
        for language in [None, Some(Language::English), Some(Language::Czech)] {
            let found = sentences(&text, language);
            let inside: usize = found.iter().map(|it| words(it).count()).sum();
            prop_assert_eq!(inside, words(&text).count());
        }
    }

    #[test]
    fn any_text_is_cut_into_slices_with_words_in_order(text in any::<String>()) {
        let mut at = 0;
        for sentence in sentences(&text, Some(Language::German)) {
            prop_assert!(words(sentence).next().is_some());
            at += text[at..].find(sentence).expect("a slice of the rest") + sentence.len();
        }
    }

    #[test]
    fn abbreviations_never_add_sentences(text in "([A-Za-z]{1,6}[.!?]? ){0,40}") {
        let bare = text.unicode_sentences().count();
        prop_assert!(sentences(&text, Some(Language::English)).len() <= bare);
    }
}

proptest! {
    /// Splitting by lines and the ASCII fast path change nothing.
    #[test]
    fn lines_have_the_sentences_that_the_whole_text_has(text in "([a-zA-Zé]{1,5}|[0-9]{1,2}|[.!?]|[ \n\r,:;]|\u{2028}|\u{85}|。|e\\.g\\.){0,60}") {
        for language in [None, Some(Language::English), Some(Language::German)] {
            let mut whole = Vec::new();
            super::add_sentences(&text, language, &mut whole);
            prop_assert_eq!(sentences(&text, language), whole);
        }
    }
}
