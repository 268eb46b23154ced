use std::fmt;
use thiserror::Error;

/// Text of 1 to `MAX` characters, normalized (NFC, trimmed, white space folded).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text<const MAX: usize>(String);

/// Name of a project, client, category or person.
pub type Label = Text<200>;
pub type Tag = Text<50>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TextRefusal {
    /// Empty after trimming.
    #[error("must not be empty")]
    Empty,
    #[error("must not be longer than {max} characters")]
    TooLong {
        /// In characters.
        max: usize,
    },
    #[error(
        "must not hold control characters, nor others that are not seen or turn the text around"
    )]
    ControlCharacter,
}

/// Whether a character is invisible or changes how others look: control characters, zero widths,
/// and direction marks (Unicode 16, 23.2 and 23.8). The joiners U+200C and U+200D are allowed,
/// because several languages and emoji need them.
pub fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}'
        )
}

impl<const MAX: usize> Text<MAX> {
    /// In characters.
    pub const MAX: usize = MAX;

    pub fn parse(text: &str) -> Result<Self, TextRefusal> {
        let folded = analysis::keyword_text::display(text);
        if folded.is_empty() {
            return Err(TextRefusal::Empty);
        }
        if folded.chars().any(is_invisible) {
            return Err(TextRefusal::ControlCharacter);
        }
        if folded.chars().count() > MAX {
            return Err(TextRefusal::TooLong { max: MAX });
        }
        Ok(Self(folded))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_trimmed_and_folded_and_counted_in_characters() {
        let tag = Tag::parse("  long   tail ").unwrap();
        assert_eq!(
            (tag.as_str(), tag.to_string()),
            ("long tail", "long tail".to_owned())
        );
        assert_eq!(Text::<3>::parse("žžž").unwrap().as_str(), "žžž");
        assert_eq!(
            Text::<3>::parse("abcd"),
            Err(TextRefusal::TooLong { max: 3 })
        );
        assert_eq!(Tag::parse(" \t "), Err(TextRefusal::Empty));
        for unseen in ["a\u{7}b", "\u{200B}", "\u{202E}x", "x\u{FEFF}"] {
            assert_eq!(Tag::parse(unseen), Err(TextRefusal::ControlCharacter));
        }
        assert!(Tag::parse("می\u{200C}خواهم").is_ok());
    }
}
