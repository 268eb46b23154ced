use super::words::words;
use crate::table::records;
use std::sync::LazyLock;

/// With whether the phrase must be the whole title or heading.
static PHRASES: LazyLock<Vec<(bool, &'static str)>> = LazyLock::new(|| {
    let phrases = records::<3>(include_str!("error_phrases.tsv"));
    phrases
        .map(|[_, of, phrase]| (of == "whole", phrase))
        .collect()
});

pub fn is_error_title(title: &str) -> bool {
    let text = words(&title.to_lowercase()).collect::<Vec<_>>().join(" ");
    let padded = format!(" {text} ");
    PHRASES.iter().any(|(is_whole, phrase)| {
        if *is_whole {
            text == *phrase
        } else {
            padded.contains(&format!(" {phrase} "))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_pages_are_known_in_several_languages() {
        for title in [
            "404 - Page Not Found | Shop",
            "Stránka nenalezena",
            "Seite nicht gefunden – Firma",
            "Az oldal nem található",
            "404",
            "Error 404 (Not Found)!!1",
        ] {
            assert!(is_error_title(title), "{title}");
        }
    }

    #[test]
    fn articles_about_errors_are_no_error_pages() {
        for title in [
            "Appendix A. PostgreSQL Error Codes",
            "How to find lost pages",
            "Room 404 in Berlin",
            "Lost and Not Found",
        ] {
            assert!(!is_error_title(title), "{title}");
        }
    }
}
