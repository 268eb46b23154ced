use super::dates::{NumberOrder, first_date_with_place};
use analysis::text::words::collapsed;

/// Longer lines are not names.
pub const MOST_LINE: usize = 100;

/// A line up to its date; `None` when no name remains.
pub fn without_date(text: &str, order: NumberOrder) -> Option<String> {
    let end = first_date_with_place(text, order).map_or(text.len(), |it| it.1);
    let text =
        text[..end].trim_end_matches(|it: char| !it.is_alphanumeric() && !matches!(it, ')' | '.'));
    let is_word_for_a_date = phrases(WORDS_FOR_DATES)
        .any(|it| it == text.trim_end_matches([',', ':', '.']).to_lowercase());
    (text.chars().any(char::is_alphabetic) && !is_word_for_a_date).then(|| text.to_owned())
}

pub fn line(text: &str) -> Option<String> {
    let text = collapsed(text);
    let is_address = text.starts_with("http://")
        || text.starts_with("https://")
        || text.starts_with("//")
        || text.starts_with("www.");
    let fine =
        !is_address && text.chars().count() < MOST_LINE && text.chars().any(char::is_alphabetic);
    fine.then_some(text)
}

/// Labels of a date without a name, in lower case.
const WORDS_FOR_DATES: &str = "
published / updated / last updated / posted / posted on / on / date / sunday / monday
tuesday / wednesday / thursday / friday / saturday / sun / mon / tue / wed / thu / fri
sat
";

/// Labels before a name, in lower case.
const BEFORE: &str = "
by / written by / posted by / published by / author / authors / words by / story by
text by / von / autor / autorin / geschrieben von / text / par / écrit par / publié par
auteur / por / escrito por / publicado por / di / scritto da / a cura di / autore
door / geschreven door / napsal / napsala / napísal / napísala / autoři / autori
napisał / napisała / szerző / írta
";

pub fn cleaned(text: &str) -> Option<String> {
    let text = line(text)?;
    let lower = text.to_lowercase();
    let after = phrases(BEFORE).filter_map(|it| {
        let rest = lower.strip_prefix(it)?;
        let rest = rest
            .strip_prefix([':', ' '])?
            .trim_start_matches([':', ' ']);
        (!rest.is_empty()).then(|| lower.len() - rest.len())
    });
    // Lower case may change the length, as for İ.
    let start = after
        .max()
        .filter(|it| text.is_char_boundary(*it) && lower.len() == text.len())
        .unwrap_or(0);
    let name = text[start..].trim_matches(|it: char| {
        it.is_whitespace() || matches!(it, ',' | ';' | ':' | '|' | '·' | '•' | '-' | '–' | '—')
    });
    name.chars()
        .any(char::is_alphabetic)
        .then(|| name.to_owned())
}

/// Phrases are separated by slash or line.
pub fn phrases(list: &str) -> impl Iterator<Item = &str> {
    list.split(['/', '\n'])
        .map(str::trim)
        .filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_stands_before_them() {
        for (line, name) in [
            ("By Ann Smith", "Ann Smith"),
            ("Written by: Ann Smith,", "Ann Smith"),
            ("Von Jana Nováková", "Jana Nováková"),
            ("Autor: Jana Nováková |", "Jana Nováková"),
            ("Byron Smith", "Byron Smith"),
            ("Vonnegut", "Vonnegut"),
            ("İBy", "İBy"),
        ] {
            assert_eq!(cleaned(line).as_deref(), Some(name), "{line}");
        }
    }

    #[test]
    fn addresses_and_long_texts_name_nobody() {
        assert_eq!(cleaned("https://example.com/ann"), None);
        assert_eq!(cleaned("12 — 34"), None);
        assert_eq!(line(&"word ".repeat(30)), None);
    }

    #[test]
    fn dates_are_cut_off_lines() {
        let cut = |text| without_date(text, NumberOrder::MonthFirst);
        assert_eq!(
            cut("By Ann Smith, May 6, 2024").as_deref(),
            Some("By Ann Smith")
        );
        assert_eq!(cut("May 6, 2024 by Ann"), None);
        assert_eq!(cut("Published: 2024-05-06"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_survived(text in ".{0,120}") {
            cleaned(&text);
            without_date(&text, NumberOrder::DayFirst);
        }
    }
}
