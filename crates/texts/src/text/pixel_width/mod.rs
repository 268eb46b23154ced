//! Pixel width of a text on a results page: Arial, by the identical widths of Liberation Sans, without kerning, in NFC.
//! Other characters by East Asian width: wide ones and emoji 1 em, zero-width ones 0, others the mean of a to z.

mod liberation_sans;

use crate::keyword_text::nfc;
use liberation_sans::{ADVANCES, UNITS_PER_EM};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SnippetElement {
    /// In pixels.
    pub size: f64,
    /// In pixels.
    pub limit: f64,
}

/// Desktop: 20 px, truncated at 600 px.
pub const TITLE: SnippetElement = SnippetElement {
    size: 20.0,
    limit: 600.0,
};

/// Desktop: 14 px, truncated at 920 px, the lowest published figure (920 to 985).
pub const DESCRIPTION: SnippetElement = SnippetElement {
    size: 14.0,
    limit: 920.0,
};

impl SnippetElement {
    /// In pixels.
    pub fn width(self, text: &str) -> f64 {
        pixel_width(text, self.size)
    }

    /// Likely to be truncated.
    pub fn truncates(self, text: &str) -> bool {
        self.width(text) > self.limit
    }
}

/// In pixels, for this font size. White space is not collapsed.
pub fn pixel_width(text: &str, size: f64) -> f64 {
    let units: u64 = nfc(text).graphemes(true).map(units).sum();
    in_pixels(units, size)
}

#[expect(clippy::cast_precision_loss, reason = "no text is 2^52 units wide")]
fn in_pixels(units: u64, size: f64) -> f64 {
    units as f64 * size / f64::from(UNITS_PER_EM)
}

/// In the font's units, of a grapheme cluster.
fn units(cluster: &str) -> u64 {
    // The other characters of a cluster are combining marks.
    let known = cluster.chars().next().and_then(advance);
    u64::from(known.unwrap_or_else(|| match cluster.width() {
        0 => 0,
        1 => average_width(),
        _ => UNITS_PER_EM,
    }))
}

fn advance(character: char) -> Option<u16> {
    let code = u32::from(character);
    let next = ADVANCES.partition_point(|(first, _)| *first <= code);
    let (first, widths) = ADVANCES.get(next.checked_sub(1)?)?;
    let width = *widths.get(usize::try_from(code - first).ok()?)?;
    (width > 0).then_some(width)
}

/// Of the letters a to z.
fn average_width() -> u16 {
    let sum: u32 = ('a'..='z').filter_map(advance).map(u32::from).sum();
    u16::try_from(sum / 26).unwrap_or(UNITS_PER_EM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_close(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 0.005,
            "{found} is not {expected}"
        );
    }

    /// fontTools 4.68 with fonts-liberation 1.07.4 (`tests/oracles/pixel_width.py`).
    #[test]
    fn widths_are_those_of_the_font() {
        assert_close(
            pixel_width("The quick brown fox jumps over the lazy dog", 20.0),
            395.75,
        );
        assert_close(
            pixel_width("The quick brown fox jumps over the lazy dog", 14.0),
            277.03,
        );
        assert_close(
            pixel_width("Příliš žluťoučký kůň úpěl ďábelské ódy", 20.0),
            341.07,
        );
        assert_close(pixel_width("MMMMMMMMMM", 20.0), 166.60);
        assert_close(pixel_width("iiiiiiiiii", 20.0), 44.43);
    }

    #[test]
    fn composed_and_decomposed_texts_are_equally_wide() {
        assert_close(
            pixel_width("ku\u{30a}n\u{30c}", 20.0),
            pixel_width("kůň", 20.0),
        );
    }

    #[test]
    fn missing_glyphs_use_their_east_asian_width() {
        assert_close(pixel_width("漢字かな", 20.0), 80.0);
        assert_close(pixel_width("😀", 20.0), 20.0);
        assert_close(pixel_width("👩‍👩‍👧", 20.0), 20.0);
        assert_close(pixel_width("\u{200b}", 20.0), 0.0);
        assert_close(
            pixel_width("ა", 20.0),
            f64::from(average_width()) * 20.0 / 2048.0,
        );
    }

    #[test]
    fn titles_are_truncated_by_width_and_not_by_letters() {
        assert!(TITLE.truncates(&"M".repeat(37)));
        assert!(!TITLE.truncates(&"i".repeat(120)));
        assert!(!DESCRIPTION.truncates(&"M".repeat(37)));
    }

    proptest! {
        #[test]
        fn widths_add_up_and_grow_with_the_size(a in "[a-zà-žα-ωа-я .,]{0,60}", b in "[a-z]{0,30}") {
            let whole = pixel_width(&format!("{a} {b}"), 20.0);
            let parts = pixel_width(&a, 20.0) + pixel_width(" ", 20.0) + pixel_width(&b, 20.0);
            prop_assert!((whole - parts).abs() < 1e-9);
            prop_assert!((pixel_width(&a, 10.0) * 2.0 - pixel_width(&a, 20.0)).abs() < 1e-9);
        }

        #[test]
        fn any_text_has_a_width(text in any::<String>()) {
            prop_assert!(pixel_width(&text, 20.0) >= 0.0);
        }
    }
}
