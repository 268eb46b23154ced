//! Words by UAX #29.

use unicode_segmentation::UnicodeSegmentation;

/// Segments with at least one letter or digit.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    // No word spans lines, and ASCII lines are split much faster.
    text.split('\n')
        .flat_map(UnicodeSegmentation::unicode_words)
}

/// Runs of white space become one space; ends are trimmed.
pub fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// In characters.
pub fn shortened(text: &str, characters: usize) -> &str {
    text.char_indices()
        .nth(characters)
        .map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_no_word() {
        assert_eq!(
            words("Don't panic – it's 42!").collect::<Vec<_>>(),
            ["Don't", "panic", "it's", "42"]
        );
    }

    proptest::proptest! {
        #[test]
        fn lines_have_the_words_that_the_whole_text_has(text in "([a-zA-Zé0-9]{1,4}|[ .,:'\n\r_-]|\u{2028}|e\u{301}|字|👩){0,40}") {
            let whole: Vec<&str> = text.unicode_words().collect();
            proptest::prop_assert_eq!(words(&text).collect::<Vec<_>>(), whole);
        }
    }

    #[test]
    fn shortening_respects_characters() {
        assert_eq!(shortened("äöü", 2), "äö");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
