//! Detects recommendations: by words of a sentence, unless negated shortly before, and by headings above lists.

use super::{folded::fold, languages::Languages};
use std::sync::LazyLock;

struct Words {
    language: &'static str,
    recommending: Vec<String>,
    negating: Vec<String>,
}

/// Words before a recommending word in which a negation counts.
const NEGATION_WORDS: usize = 4;
/// The same in bytes, since sentences may be very long.
const NEGATION_BYTES: usize = 120;

static LISTS: LazyLock<Vec<Words>> = LazyLock::new(|| {
    let mut lists: Vec<Words> = Vec::new();
    for row in include_str!("recommending.tsv").lines() {
        let mut cells = row.split('\t');
        let (Some(language), Some(kind), Some(words)) = (cells.next(), cells.next(), cells.next())
        else {
            continue;
        };
        let words: Vec<String> = words.split(' ').map(|it| it.replace('_', " ")).collect();
        match lists.last_mut().filter(|it| it.language == language) {
            Some(list) if kind == "no" => list.negating = words,
            _ => lists.push(Words {
                language,
                recommending: words,
                negating: Vec::new(),
            }),
        }
    }
    lists
});

/// `None` in languages without word lists.
pub(super) fn recommends(sentence: &str, languages: Languages) -> Option<bool> {
    let lists: Vec<&Words> = LISTS
        .iter()
        .filter(|it| languages.contains(it.language))
        .collect();
    if lists.is_empty() {
        return None;
    }
    let text = format!(" {} ", fold(sentence));
    Some(lists.iter().any(|list| list.has_recommendation(&text)))
}

pub(super) fn opens_list(line: &str, languages: Languages) -> bool {
    let line = line.trim().trim_end_matches('*');
    let is_heading = line.starts_with('#') || line.ends_with(':');
    is_heading && recommends(line, languages) == Some(true)
}

pub(super) fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    ["- ", "* ", "• ", "+ ", "|"]
        .iter()
        .any(|it| line.starts_with(it))
        || (digits > 0 && line[digits..].starts_with(['.', ')']))
}

impl Words {
    fn has_recommendation(&self, text: &str) -> bool {
        self.recommending.iter().any(|word| {
            text.match_indices(word.as_str()).any(|(at, _)| {
                let begins = text[..at].ends_with(|it: char| !it.is_alphanumeric());
                begins && !self.is_negated(&text[..at])
            })
        })
    }

    fn is_negated(&self, before: &str) -> bool {
        let start = before.floor_char_boundary(before.len().saturating_sub(NEGATION_BYTES));
        let before = &before[start..];
        // A negation does not reach over a clause boundary.
        let clause = before
            .rsplit([',', ';', ':', '(', '–'])
            .next()
            .unwrap_or_default();
        let words = clause.split_whitespace().rev().take(NEGATION_WORDS);
        words
            .map(|it| it.trim_matches(|letter: char| !letter.is_alphanumeric()))
            .any(|word| {
                self.negating.iter().any(|no| {
                    // Short entries match whole words, longer ones prefixes.
                    word == no || (no.len() > 4 && word.starts_with(no.as_str()))
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_detects_negated_recommendations() {
        for (language, yes, no) in [
            (
                "en",
                "Acme is the best for families.",
                "I would not recommend Acme.",
            ),
            (
                "de",
                "Acme ist die beste Wahl.",
                "Acme würde ich nicht empfehlen.",
            ),
            ("fr", "Je recommande Acme.", "Acme n'est pas recommandé."),
            ("es", "Recomiendo Acme.", "No recomiendo Acme."),
            ("it", "Consiglio Acme.", "Non consiglio Acme."),
            ("nl", "Acme is een aanrader.", "Acme is niet aan te raden."),
            ("pl", "Polecam Acme.", "Nie polecam Acme."),
            ("cs", "Doporučuji Acme.", "Acme nedoporučuji."),
            ("sk", "Odporúčam Acme.", "Acme neodporúčam."),
            (
                "hu",
                "Az Acme a legjobb választás.",
                "Az Acmét nem ajánlom.",
            ),
        ] {
            let languages = Languages::of(language);
            assert_eq!(recommends(yes, languages), Some(true), "{yes}");
            assert_eq!(recommends(no, languages), Some(false), "{no}");
        }
        assert_eq!(
            recommends("Jag rekommenderar Acme", Languages::of("sv")),
            None
        );
        assert_eq!(
            recommends("Acme opened in 1921.", Languages::of("en")),
            Some(false)
        );
    }

    #[test]
    fn a_recommending_heading_opens_a_list() {
        let english = Languages::of("en");
        assert!(
            opens_list("## Best desks", english)
                && opens_list("**Top picks I recommend:**", english)
        );
        assert!(!opens_list("The best desks.", english) && !opens_list("Also seen:", english));
        assert!(is_item("1. Acme") && is_item("- Acme") && is_item("  * Acme"));
        assert!(!is_item("2024 was good") && !is_item("Acme"));
    }
}
