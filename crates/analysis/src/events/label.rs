//! Texts in events come from accounts, pages and engines: data of any length.

use crate::url_rules::page_key;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Characters of a label.
pub const MAX_LABEL: usize = 200;
/// Bytes of a URL.
const MAX_URL: usize = 500;

/// A label without controls, line and direction marks, at most 200 characters.
pub fn label(text: &str) -> String {
    let shown = text.chars().filter(|it| is_shown(*it));
    shown.take(MAX_LABEL).collect()
}

pub fn url(text: &str) -> String {
    let mut url = String::new();
    for shown in text.chars().filter(|it| is_shown(*it)) {
        if url.len() + shown.len_utf8() > MAX_URL {
            break;
        }
        url.push(shown);
    }
    url
}

/// 16 hexadecimal digits that name a page in dedupe keys; equal for URLs that differ by scheme and `www.` alone.
pub fn url_hash(url: &str) -> String {
    hash(page_key(url).as_bytes())
}

pub fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest[..8].iter().fold(String::new(), |mut hash, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

/// Marks of direction can reorder the text around a label.
fn is_shown(it: char) -> bool {
    let is_mark = matches!(it, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    !it.is_control() && !is_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lose_controls_and_are_cut_between_characters() {
        assert_eq!(
            label("rank\r\nBcc: a\u{7}\u{202e}b\u{2028}c"),
            "rankBcc: abc"
        );
        assert_eq!(label(&"ř".repeat(900)).chars().count(), MAX_LABEL);
        assert_eq!(url(&"ř".repeat(900)).len(), MAX_URL);
        assert_eq!(url("https://a.example/\t"), "https://a.example/");
    }
}
