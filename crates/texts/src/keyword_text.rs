use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// For comparison: NFKC, lower case, single spaces; diacritics stay.
pub fn normalised(text: &str) -> String {
    if text.is_ascii() {
        return single_spaced(&text.to_ascii_lowercase());
    }
    // Lower-casing can produce characters that NFKC changes again.
    let lower = compatible(text).to_lowercase();
    single_spaced(&compatible(&lower))
}

/// For display: NFC and single spaces only.
pub fn display(text: &str) -> String {
    single_spaced(&composed(text))
}

/// NFC.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        text.nfc().collect()
    }
}

/// NFKC. Most texts already are, and the check is cheaper than composing.
fn compatible(text: &str) -> Cow<'_, str> {
    if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        text.nfkc().collect()
    }
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_width_and_spaces_do_not_make_another_keyword() {
        assert_eq!(normalised("  Ｒｕｓｔ\u{a0} \t SEO "), "rust seo");
        assert_eq!(normalised("ŽLUŤOUČKÝ kůň"), "žluťoučký kůň");
        assert_eq!(normalised("e\u{301}clair"), normalised("Éclair"));
    }

    #[test]
    fn diacritics_make_another_keyword() {
        assert_ne!(normalised("résumé"), normalised("resume"));
    }

    #[test]
    fn the_shown_form_keeps_case() {
        assert_eq!(display("  e\u{301}clair   Berlin\n"), "éclair Berlin");
    }

    proptest! {
        #[test]
        fn normalising_twice_is_normalising_once(text in any::<String>()) {
            let once = normalised(&text);
            prop_assert_eq!(normalised(&once), once.clone());
            prop_assert_eq!(normalised(&display(&text)), once);
        }

        #[test]
        fn a_text_that_looks_compatible_is(text in any::<String>()) {
            prop_assert_eq!(compatible(&text), text.nfkc().collect::<String>());
        }
    }
}
