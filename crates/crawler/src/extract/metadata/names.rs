use super::dates::{DateOrder, first_date_with_offset};
use analysis::text::words::collapsed;

/// Longer lines are not names.
pub const MAX_LINE: usize = 100;

/// A line up to its date; `None` when no name remains.
pub fn without_date(text: &str, order: DateOrder) -> Option<String> {
    let end = first_date_with_offset(text, order).map_or(text.len(), |it| it.1);
    let text =
        text[..end].trim_end_matches(|it: char| !it.is_alphanumeric() && !matches!(it, ')' | '.'));
    let is_word_for_a_date =
        phrases(DATE_LABELS).any(|it| it == text.trim_end_matches([',', ':', '.']).to_lowercase());
    (text.chars().any(char::is_alphabetic) && !is_word_for_a_date).then(|| text.to_owned())
}

pub fn name_line(text: &str) -> Option<String> {
    let text = collapsed(text);
    let is_address = text.starts_with("http://")
        || text.starts_with("https://")
        || text.starts_with("//")
        || text.starts_with("www.");
    let fine =
        !is_address && text.chars().count() < MAX_LINE && text.chars().any(char::is_alphabetic);
    fine.then_some(text)
}

/// Labels of a date without a name, in lower case.
const DATE_LABELS: &str = "
published / updated / last updated / posted / posted on / on / date / sunday / monday
tuesday / wednesday / thursday / friday / saturday / sun / mon / tue / wed / thu / fri
sat
";

/// Labels before a name, in lower case.
const NAME_PREFIXES: &str = "
by / written by / posted by / published by / author / authors / words by / story by
text by / von / autor / autorin / geschrieben von / text / par / écrit par / publié par
auteur / por / escrito por / publicado por / di / scritto da / a cura di / autore
door / geschreven door / napsal / napsala / napísal / napísala / autoři / autori
napisał / napisała / szerző / írta
";

pub fn clean_name(text: &str) -> Option<String> {
    let text = name_line(text)?;
    let lower = text.to_lowercase();
    let after = phrases(NAME_PREFIXES).filter_map(|it| {
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
    fn labels_before_names_are_removed() {
        for (line, name) in [
            ("By Ann Smith", "Ann Smith"),
            ("Written by: Ann Smith,", "Ann Smith"),
            ("Von Jana Nováková", "Jana Nováková"),
            ("Autor: Jana Nováková |", "Jana Nováková"),
            ("Byron Smith", "Byron Smith"),
            ("Vonnegut", "Vonnegut"),
            ("İBy", "İBy"),
        ] {
            assert_eq!(clean_name(line).as_deref(), Some(name), "{line}");
        }
    }

    #[test]
    fn urls_and_long_texts_are_not_names() {
        assert_eq!(clean_name("https://example.com/ann"), None);
        assert_eq!(clean_name("12 — 34"), None);
        assert_eq!(name_line(&"word ".repeat(30)), None);
    }

    #[test]
    fn dates_are_cut_from_bylines() {
        let cut = |text| without_date(text, DateOrder::MonthFirst);
        assert_eq!(
            cut("By Ann Smith, May 6, 2024").as_deref(),
            Some("By Ann Smith")
        );
        assert_eq!(cut("May 6, 2024 by Ann"), None);
        assert_eq!(cut("Published: 2024-05-06"), None);
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_lines_are_parsed(text in ".{0,120}") {
            clean_name(&text);
            without_date(&text, DateOrder::DayFirst);
        }
    }
}
