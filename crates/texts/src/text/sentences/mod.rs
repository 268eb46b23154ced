//! Sentences by UAX #29, which breaks after every full stop unless a lower-case letter follows. No break after an
//! abbreviation (`Dr.`, `z.B.`), before a number (`No. 5`), after a single letter (`J. Novák`), and in languages with
//! dotted ordinals after one or two digits or a Roman numeral (`3. Oktober`, `Karel IV.`). A line feed always breaks.

mod abbreviations;

use super::{language::Language, words::words};
use unicode_segmentation::UnicodeSegmentation;

/// Trimmed slices with at least one word. Without a language only single letters are abbreviations.
pub fn sentences(text: &str, language: Option<Language>) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.split('\n') {
        // In ASCII only these break sentences (UAX #29: ATerm, STerm), and CR, which ends lines.
        if line.is_ascii() && !line.contains(['.', '!', '?', '\r']) {
            if words(line).next().is_some() {
                found.push(line.trim());
            }
        } else {
            add_sentences(line, language, &mut found);
        }
    }
    found
}

fn add_sentences<'a>(text: &'a str, language: Option<Language>, found: &mut Vec<&'a str>) {
    let mut start = 0;
    for (at, segment) in text.split_sentence_bound_indices() {
        let end = at + segment.len();
        if end == text.len() || ends_sentence(segment, &text[end..], language) {
            let sentence = text[start..end].trim();
            if words(sentence).next().is_some() {
                found.push(sentence);
            }
            start = end;
        }
    }
}

fn ends_sentence(segment: &str, rest: &str, language: Option<Language>) -> bool {
    let visible = segment.trim_end();
    if segment[visible.len()..].contains(LINE_ENDS) {
        return true;
    }
    let Some(before) = visible.strip_suffix('.') else {
        return true;
    };
    let token = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .trim_start_matches(|it: char| !it.is_alphanumeric());
    let number_follows = rest.starts_with(|it: char| it.is_numeric());
    !(is_letter(token)
        || language.is_some_and(|it| {
            abbreviations::continues_sentence(token, it, number_follows)
                || (writes_ordinals(it) && is_ordinal(token))
        }))
}

const LINE_ENDS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

fn is_letter(token: &str) -> bool {
    let mut letters = token.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

const fn writes_ordinals(language: Language) -> bool {
    matches!(
        language,
        Language::German
            | Language::Czech
            | Language::Slovak
            | Language::Hungarian
            | Language::Polish
    )
}

fn is_ordinal(token: &str) -> bool {
    let short_number = token.len() <= 2 && token.bytes().all(|it| it.is_ascii_digit());
    let roman = token.bytes().all(|it| b"IVXLC".contains(&it));
    !token.is_empty() && (short_number || roman)
}

#[cfg(test)]
mod tests;
