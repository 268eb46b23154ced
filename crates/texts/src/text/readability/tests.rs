use super::*;
use crate::text::counts::{Counts, SyllableCounts, count};
use proptest::prelude::*;

fn counts(words: usize, sentences: usize, syllables: usize) -> Counts {
    Counts {
        words,
        sentences,
        syllables: Some(SyllableCounts {
            total: syllables,
            ..SyllableCounts::default()
        }),
        ..Counts::default()
    }
}

fn assert_close(found: Option<f64>, expected: f64) {
    let found = found.expect("a score");
    assert!(
        (found - expected).abs() < 0.005,
        "{found} is not {expected}"
    );
}

/// Counts of textstat 0.7.4 and pyphen 0.18.1, and the exact results of the formulas.
#[test]
fn reading_ease_follows_from_the_published_counts() {
    assert_close(Formula::Flesch.value(&counts(28, 3, 51)), 43.27);
    assert_close(Formula::Amstad.value(&counts(27, 3, 60)), 41.00);
    assert_close(Formula::FernandezHuerta.value(&counts(31, 3, 70)), 60.82);
    assert_close(Formula::FleschHungarian.value(&counts(23, 3, 62)), 41.36);
}

/// Scores of formulas.
type Scores = &'static [(Formula, f64)];

/// One document of Debian's manuals in each of eight languages, counted and scored by textstat
/// 0.7.4 without rounding (`tests/oracles/readability_formulas.py --golden`); fog and LIX by the package
/// readability 0.3.1.
#[test]
fn formulas_match_textstat() {
    let golden: &[([usize; 9], Scores)] = &[
        (
            [1968, 82, 9454, 9789, 440, 2992, 1305, 253, 253],
            &[
                (Formula::Rix, 5.3659),
                (Formula::Lix, 46.3577),
                (Formula::Flesch, 53.8555),
                (Formula::FleschKincaid, 11.7098),
                (Formula::ColemanLiau, 10.8291),
                (Formula::AutomatedReadabilityIndex, 13.9979),
                (Formula::Smog, 13.1637),
                (Formula::GunningFog, 14.7423),
            ],
        ),
        (
            [1852, 84, 11332, 11655, 654, 3747, 809, 497, 497],
            &[
                (Formula::Rix, 7.7857),
                (Formula::Lix, 57.3608),
                (Formula::Amstad, 39.5941),
            ],
        ),
        (
            [2062, 80, 10297, 10576, 548, 4092, 950, 540, 540],
            &[
                (Formula::FernandezHuerta, 61.4806),
                (Formula::SzigrisztPazos, 57.4268),
            ],
        ),
        (
            [1823, 65, 9187, 9520, 550, 2810, 1221, 271, 271],
            &[(Formula::KandelMoles, 65.085)],
        ),
        (
            [2005, 77, 10281, 10581, 585, 4221, 849, 622, 622],
            &[
                (Formula::FleschVacca, 56.8351),
                (Formula::Gulpease, 49.2444),
            ],
        ),
        (
            [1418, 78, 7892, 8189, 464, 2772, 712, 395, 395],
            &[(Formula::Douma, 39.4034)],
        ),
        (
            [1333, 104, 7476, 7799, 495, 2402, 775, 361, 361],
            &[(Formula::Oborneva, 81.8753)],
        ),
        (
            [475, 37, 3549, 3662, 241, 1346, 155, 227, 227],
            &[(Formula::FleschHungarian, 28.0341)],
        ),
    ];
    for (counted, scores) in golden {
        let [
            words,
            sentences,
            letters,
            characters,
            long_words,
            total,
            one,
            three,
            hard,
        ] = *counted;
        let counts = Counts {
            words,
            sentences,
            letters,
            characters,
            long_words,
            syllables: Some(SyllableCounts {
                total,
                words_of_one: one,
                words_of_three: three,
                hard_words: hard,
            }),
        };
        for (formula, expected) in *scores {
            let found = formula.value(&counts).unwrap();
            assert!(
                (found - expected).abs() < 1e-4,
                "{formula:?}: {found} is not {expected}"
            );
        }
        // textstat rounds this one to a decimal: 11.2.
        if scores.iter().any(|(it, _)| *it == Formula::Amstad) {
            let found = Formula::WienerSachtext1.value(&counts).unwrap();
            assert!((found - 11.2).abs() < 0.05, "{found}");
        }
    }
}

/// The English sample has 11 words of more than six letters: 28/3 + 100·11/28.
#[test]
fn lix_of_the_sample_follows_from_its_counts() {
    let sample = "The Web Content Accessibility Guidelines explain how to make web content more accessible to people with disabilities. They cover many recommendations. Following them makes content usable for everyone.";
    let counts = count(sample, Some(Language::English));
    assert_eq!((counts.words, counts.sentences), (28, 3));
    assert_close(Formula::Lix.value(&counts), 28.0 / 3.0 + 1100.0 / 28.0);
}

#[test]
fn below_a_hundred_words_there_is_no_score() {
    let scored = |words| readability(&counts(words, 10, 200), Some(Language::English));
    assert_eq!(scored(99), None);
    assert!(scored(100).is_some());
    assert_eq!(readability(&counts(100, 0, 200), None), None);
}

#[test]
fn every_language_has_a_score_of_reading_ease_except_polish() {
    for language in Language::ALL {
        let found = readability(&counts(120, 10, 230), Some(language)).unwrap();
        assert_eq!(found.reading_ease.is_none(), language == Language::Polish);
        let status = found.reading_ease.map(|it| it.status);
        let expected = match language {
            Language::Polish => None,
            Language::Slovak => Some(Status::Proxy),
            Language::Hungarian => Some(Status::Experimental),
            _ => Some(Status::Published),
        };
        assert_eq!(status, expected);
    }
}

#[test]
fn without_a_language_only_lix_and_rix_are_given() {
    let mut given = counts(120, 6, 0);
    (given.syllables, given.long_words) = (None, 30);
    let found = readability(&given, None).unwrap();
    assert_eq!(
        (found.reading_ease, found.grade, found.others.len()),
        (None, None, 0)
    );
    assert!((found.lix.value - 45.0).abs() < 1e-9);
    assert!((found.rix.value - 5.0).abs() < 1e-9);
    assert_eq!(found.band, Band::Standard);
}

#[test]
fn smog_needs_thirty_sentences() {
    let smog = |sentences| {
        let mut given = counts(600, sentences, 900);
        if let Some(of) = &mut given.syllables {
            of.words_of_three = 90;
        }
        Formula::Smog.value(&given)
    };
    assert_eq!(smog(29), None);
    // 1.043·√(30·90/30) + 3.1291
    assert_close(smog(30), 1.043 * 90.0_f64.sqrt() + 3.1291);
}

#[test]
fn bands_match_flesch() {
    for (score, band) in [
        (90.0, Band::VeryEasy),
        (89.99, Band::Easy),
        (70.0, Band::FairlyEasy),
        (60.0, Band::Standard),
        (59.0, Band::FairlyDifficult),
        (30.0, Band::Difficult),
        (29.9, Band::VeryDifficult),
        (-40.0, Band::VeryDifficult),
    ] {
        assert_eq!(Band::of_flesch(score), band, "{score}");
    }
}

proptest! {
    #[test]
    fn longer_sentences_and_words_never_read_easier(words in 100_usize..5_000, sentences in 1_usize..200, extra in 1_usize..500) {
        for language in Language::ALL {
            let Some(formula) = Formula::reading_ease(language) else { continue };
            let ease = |sentences, syllables| formula.value(&counts(words, sentences, syllables)).unwrap();
            prop_assert!(ease(sentences + extra, words * 2) > ease(sentences, words * 2));
            prop_assert!(ease(sentences, words * 2) > ease(sentences, words * 2 + extra));
        }
    }

    #[test]
    fn scores_are_numbers(words in 0_usize..300, sentences in 0_usize..40, syllables in 0_usize..900) {
        for language in Language::ALL {
            if let Some(found) = readability(&counts(words, sentences, syllables), Some(language)) {
                let all = [found.reading_ease, Some(found.lix), Some(found.rix), found.grade];
                prop_assert!(all.iter().flatten().chain(&found.others).all(|it| it.value.is_finite()));
            }
        }
    }
}
