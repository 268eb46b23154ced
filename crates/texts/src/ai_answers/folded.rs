//! Text folded for comparing names: lower case, no diacritics or emphasis, one form of hyphen and apostrophe; offsets
//! map back to the original.

use crate::observation::ai_answer::TextSpan;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Replaces masked text; no name spans it.
pub(super) const MASK: char = '\u{1}';

#[derive(Debug, Default)]
pub(super) struct Folded {
    pub text: String,
    /// For each folded byte, start and end of the original character.
    source_ranges: Vec<(u32, u32)>,
}

impl Folded {
    /// `holes` must be sorted.
    pub fn of(text: &str, masked: &[TextSpan]) -> Self {
        let mut found = Self {
            text: String::with_capacity(text.len()),
            source_ranges: Vec::with_capacity(text.len()),
        };
        let mut holes = masked.iter().peekable();
        let mut before = ' ';
        for (at, letter) in text.char_indices() {
            let end = at + letter.len_utf8();
            if holes.next_if(|it| it.start <= at).is_some() {
                found.push(MASK, at, at);
            }
            if letter == '_' {
                let after = text[end..].chars().next().unwrap_or(' ');
                if !(before.is_alphanumeric() && after.is_alphanumeric()) {
                    before = letter;
                    continue;
                }
            }
            before = letter;
            found.add(letter, at, end);
        }
        found
    }

    pub fn source_span(&self, start: usize, end: usize) -> TextSpan {
        let first = self.source_ranges.get(start).map_or(0, |it| it.0);
        let last = end.checked_sub(1).and_then(|it| self.source_ranges.get(it));
        TextSpan {
            start: first as usize,
            end: last.map_or(first, |it| it.1) as usize,
        }
    }

    /// Maps an offset of the original text to its first folded byte.
    pub fn folded_offset(&self, place: usize) -> usize {
        self.source_ranges
            .partition_point(|it| (it.0 as usize) < place)
    }

    fn add(&mut self, letter: char, at: usize, end: usize) {
        match letter {
            'a'..='z' | '0'..='9' => self.push(letter, at, end),
            'A'..='Z' => self.push(letter.to_ascii_lowercase(), at, end),
            '\n' => self.push('\n', at, end),
            // Emphasis, trademarks, invisible characters.
            '*' | '®' | '™' | '©' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}' => {}
            '’' | '‘' | 'ʼ' | '´' => self.push('\'', at, end),
            '\u{2010}' | '\u{2011}' | '\u{2012}' => self.push('-', at, end),
            it if it.is_ascii() && !it.is_ascii_whitespace() => self.push(it, at, end),
            it if it.is_whitespace() => {
                if !self.text.ends_with([' ', '\n']) {
                    self.push(' ', at, end);
                }
            }
            it => {
                for lower in it.to_lowercase() {
                    decompose_canonical(lower, |part| {
                        if !is_combining_mark(part) {
                            self.push_plain(part, at, end);
                        }
                    });
                }
            }
        }
    }

    /// Letters that have no decomposition.
    fn push_plain(&mut self, letter: char, at: usize, end: usize) {
        let plain = match letter {
            'ß' => "ss",
            'ł' => "l",
            'đ' | 'ð' => "d",
            'ø' => "o",
            'æ' => "ae",
            'œ' => "oe",
            'þ' => "th",
            'ı' => "i",
            other => return self.push(other, at, end),
        };
        plain.chars().for_each(|it| self.push(it, at, end));
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "answers are far below 4 GiB"
    )]
    fn push(&mut self, letter: char, at: usize, end: usize) {
        self.text.push(letter);
        let place = (at as u32, end as u32);
        self.source_ranges
            .extend(std::iter::repeat_n(place, letter.len_utf8()));
    }
}

pub(super) fn fold(text: &str) -> String {
    Folded::of(text, &[]).text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn case_marks_and_emphasis_fall_away() {
        assert_eq!(
            fold("**Žabka**  L’Oréal_®_ Łódź Straße e\u{301}"),
            "zabka l'oreal lodz strasse e"
        );
        assert_eq!(fold("snake_case _so_"), "snake_case so");
    }

    #[test]
    fn folded_offsets_map_back_to_the_source() {
        let text = "Kauf bei **Müller**s";
        let folded = Folded::of(text, &[]);
        let at = folded.text.find("mullers").unwrap();
        let span = folded.source_span(at, at + "muller".len());
        assert_eq!(&text[span.start..span.end], "Müller");
        assert_eq!(folded.folded_offset(span.start), at);
    }

    proptest! {
        #[test]
        fn every_byte_comes_from_a_character(text in "\\PC{0,60}") {
            let folded = Folded::of(&text, &[]);
            prop_assert_eq!(folded.source_ranges.len(), folded.text.len());
            for (start, end) in &folded.source_ranges {
                prop_assert!(text.get(*start as usize..*end as usize).is_some());
            }
        }
    }
}
