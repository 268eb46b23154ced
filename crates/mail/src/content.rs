//! What a message says, before it becomes plain text and HTML: both say the same.

use url::Url;

/// Characters of a subject.
const MAX_SUBJECT: usize = 150;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    pub subject: String,
    /// What happened.
    pub paragraphs: Vec<String>,
    pub facts: Vec<(&'static str, String)>,
    pub button: Option<Button>,
    /// What to do.
    pub advice: Vec<String>,
    /// Why the recipient gets it, and when such messages end.
    pub reason: Vec<String>,
    pub stop: Option<Stop>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Button {
    pub label: &'static str,
    pub url: String,
    /// How long the link works.
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    pub label: &'static str,
    pub url: String,
}

impl Content {
    /// Every text as one line without controls, so that no variable breaks a line or reaches a header.
    #[must_use]
    pub fn cleaned(self) -> Self {
        let all = |texts: Vec<String>| texts.iter().map(|it| clean(it)).collect();
        let facts = self.facts.into_iter();
        Self {
            subject: shorten(&without_encoded_words(&clean(&self.subject)), MAX_SUBJECT),
            paragraphs: all(self.paragraphs),
            facts: facts.map(|(label, value)| (label, clean(&value))).collect(),
            button: self.button.map(|it| Button {
                note: it.note.as_deref().map(clean),
                ..it
            }),
            advice: all(self.advice),
            reason: all(self.reason),
            stop: self.stop,
        }
    }
}

/// One line without controls and without characters that change the direction of what follows.
pub fn clean(text: &str) -> String {
    let is_kept = |it: char| !it.is_control() && !is_invisible(it);
    let line: String = { text.chars() }
        .map(|it| if is_kept(it) { it } else { ' ' })
        .collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Mail programs would decode such text of a value in a header, with the line breaks in it (RFC 2047).
fn without_encoded_words(text: &str) -> String {
    text.replace("=?", "= ?")
}

/// Bidirectional controls, separators of lines, and marks that show nothing.
const fn is_invisible(it: char) -> bool {
    matches!(it, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

pub fn shorten(text: &str, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max_chars - 1).collect();
    format!("{}…", kept.trim_end())
}

/// The URL in ASCII, without spaces and angle brackets; `None` unless it is one of the web.
pub fn web_link(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    is_web.then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_line_without_controls() {
        let text = "A\r\nBcc: x@y\u{0}\u{85}\u{2028} \u{202e}z";
        assert_eq!(clean(text), "A Bcc: x@y z");
        assert_eq!(shorten("abcdef", 6), "abcdef");
        assert_eq!(shorten("abc def", 5), "abc…");
    }

    #[test]
    fn subjects_hold_no_encoded_words() {
        let content = Content {
            subject: "=?utf-8?q?=0ABcc:?= a".to_owned(),
            ..Content::default()
        };
        assert_eq!(content.cleaned().subject, "= ?utf-8?q?=0ABcc:?= a");
    }

    #[test]
    fn links_are_of_the_web_and_ascii() {
        let link = web_link("https://b\u{fc}cher.example/a b?t=\"<x>\r\n");
        let ascii = "https://xn--bcher-kva.example/a%20b?t=%22%3Cx%3E";
        assert_eq!(link.as_deref(), Some(ascii));
        assert_eq!(web_link("javascript:alert(1)"), None);
        assert_eq!(web_link("/accounts"), None);
    }
}
