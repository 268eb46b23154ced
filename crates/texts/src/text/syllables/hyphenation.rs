//! Liang's hyphenation patterns (1983), from hyph-utf8 by crate `hypher`.

use super::vowels;
use crate::text::language::Language;

/// Minimum fragment at either end, as in Python's `pyphen`.
const MIN_FRAGMENT_LETTERS: usize = 2;

/// Only the first part of longer words is counted, since the cost is quadratic.
const MAX_WORD_BYTES: usize = 256;

/// Hyphenation points plus one, at least 1.
pub fn count(word: &str, language: Language) -> usize {
    let Some(patterns) = patterns(language) else {
        return 1;
    };
    let lower = shortened(word).to_lowercase();
    let pieces =
        hypher::hyphenate_bounded(&lower, patterns, MIN_FRAGMENT_LETTERS, MIN_FRAGMENT_LETTERS);
    let counted: usize = match language {
        Language::German => pieces.map(|it| 1 + breaks_between_vowels(it)).sum(),
        // The Czech patterns also separate consonants (`ob-la-s-ti`).
        Language::Czech => pieces
            .filter(|it| vowels::is_syllable(it, language))
            .count(),
        _ => pieces.count(),
    };
    counted.max(1)
}

/// Vowel pairs of two syllables that the German patterns do not split: `tio-nen`, spoken `ti-o-nen`.
fn breaks_between_vowels(piece: &str) -> usize {
    let pairs = piece.as_bytes().windows(2);
    let parted = pairs.filter(|it| matches!(*it, b"io" | b"ia" | b"iu" | b"eo" | b"ua"));
    // The u of qu is not a vowel.
    parted.count() - piece.matches("qua").count()
}

fn shortened(word: &str) -> &str {
    &word[..word.floor_char_boundary(MAX_WORD_BYTES)]
}

const fn patterns(language: Language) -> Option<hypher::Lang> {
    Some(match language {
        Language::English => return None,
        Language::German => hypher::Lang::German,
        Language::Spanish => hypher::Lang::Spanish,
        Language::French => hypher::Lang::French,
        Language::Italian => hypher::Lang::Italian,
        Language::Dutch => hypher::Lang::Dutch,
        Language::Russian => hypher::Lang::Russian,
        Language::Hungarian => hypher::Lang::Hungarian,
        Language::Czech => hypher::Lang::Czech,
        Language::Slovak => hypher::Lang::Slovak,
        Language::Polish => hypher::Lang::Polish,
    })
}
