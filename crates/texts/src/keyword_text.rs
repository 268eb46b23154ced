use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// For comparison: NFKC, lower case, single spaces; diacritics stay.
pub fn normalized(text: &str) -> String {
    if text.is_ascii() {
        return single_spaced(&text.to_ascii_lowercase());
    }
    // Lower-casing can produce characters that NFKC changes again.
    let lower = nfkc(text).to_lowercase();
    single_spaced(&nfkc(&lower))
}

/// For display: NFC and single spaces only.
pub fn display(text: &str) -> String {
    single_spaced(&nfc(text))
}

/// NFC.
pub fn nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        text.nfc().collect()
    }
}

/// NFKC. Most texts already are, and the check is cheaper than composing.
fn nfkc(text: &str) -> Cow<'_, str> {
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
        assert_eq!(normalized("  Ｒｕｓｔ\u{a0} \t SEO "), "rust seo");
        assert_eq!(normalized("ŽLUŤOUČKÝ kůň"), "žluťoučký kůň");
        assert_eq!(normalized("e\u{301}clair"), normalized("Éclair"));
    }

    #[test]
    fn diacritics_make_another_keyword() {
        assert_ne!(normalized("résumé"), normalized("resume"));
    }

    #[test]
    fn the_shown_form_keeps_case() {
        assert_eq!(display("  e\u{301}clair   Berlin\n"), "éclair Berlin");
    }

    proptest! {
        #[test]
        fn normalization_is_idempotent(text in any::<String>()) {
            let once = normalized(&text);
            prop_assert_eq!(normalized(&once), once.clone());
            prop_assert_eq!(normalized(&display(&text)), once);
        }

        #[test]
        fn the_nfkc_quick_check_is_right(text in any::<String>()) {
            prop_assert_eq!(nfkc(&text), text.nfkc().collect::<String>());
        }
    }
}
