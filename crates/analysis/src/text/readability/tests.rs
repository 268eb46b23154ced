use super::*;
use crate::text::counts::SyllableCounts;
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

fn near(found: Option<f64>, expected: f64, within: f64) {
    let found = found.expect("a score");
    assert!(
        (found - expected).abs() < within,
        "{found} is not {expected}"
    );
}

/// Counts of textstat 0.7.4 and pyphen 0.18.1, and the formulas' exact results on them (appendix C
/// of the analysis definitions).
#[test]
fn reading_ease_follows_from_the_published_counts() {
    near(Formula::Flesch.value(&counts(28, 3, 51)), 43.27, 0.005);
    near(Formula::Amstad.value(&counts(27, 3, 60)), 41.00, 0.005);
    near(
        Formula::FernandezHuerta.value(&counts(31, 3, 70)),
        60.82,
        0.06,
    );
    near(
        Formula::FleschHungarian.value(&counts(23, 3, 62)),
        41.36,
        0.005,
    );
}
