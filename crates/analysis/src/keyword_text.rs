//! Stand-in until the search branch lands.
use unicode_normalization::UnicodeNormalization;
/// Shown.
pub fn display_form(text: &str) -> String {
    text.nfc()
        .collect::<String>()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
/// Compared.
pub fn normalized(text: &str) -> String {
    text.nfkc()
        .collect::<String>()
        .to_lowercase()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
