use std::{fmt::Display, io::Write};

pub fn remark(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(&line.to_string()));
}

/// Escapes characters that move the cursor, set the title or change the text direction (`\u{1b}`).
pub fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let is_turning = matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        );
        let is_moving = character.is_control() && !matches!(character, '\n' | '\t');
        if is_turning || is_moving {
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
    fn what_a_site_says_moves_no_cursor_and_turns_no_text() {
        assert_eq!(
            harmless("a\u{1b}]0;owned\u{7}\tb\nc\u{202e}d\u{9b}1;1H"),
            "a\\u{1b}]0;owned\\u{7}\tb\nc\\u{202e}d\\u{9b}1;1H"
        );
        assert_eq!(harmless("Žluťoučký 日本 🙂"), "Žluťoučký 日本 🙂");
    }
}
