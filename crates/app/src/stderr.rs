use std::{fmt::Display, io::Write};

pub fn eprint_line(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", escape_controls(&line.to_string()));
}

/// Escapes characters that move the cursor, set the title or change the text direction (`\u{1b}`).
pub fn escape_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let is_bidi_control = matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        );
        let is_control = character.is_control() && !matches!(character, '\n' | '\t');
        if is_bidi_control || is_control {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_bidi_characters_are_escaped() {
        assert_eq!(
            escape_controls("a\u{1b}]0;owned\u{7}\tb\nc\u{202e}d\u{9b}1;1H"),
            "a\\u{1b}]0;owned\\u{7}\tb\nc\\u{202e}d\\u{9b}1;1H"
        );
        assert_eq!(escape_controls("Žluťoučký 日本 🙂"), "Žluťoučký 日本 🙂");
    }
}
