//! Our word lists by language, folded; a star matches any rest of the word.

use crate::{keyword_text, text::phrases::without_diacritics};
use std::{collections::HashMap, sync::LazyLock};
use unicode_segmentation::UnicodeSegmentation;

#[derive(Debug)]
pub(super) struct Words {
    question: List,
    commercial: List,
    transactional: List,
    navigational: List,
}

/// Words, prefixes, and phrases.
#[derive(Debug)]
struct List(Vec<&'static str>);

impl Words {
    /// ISO 639-1.
    pub fn of(language: &str) -> Option<&'static Self> {
        static LISTS: LazyLock<HashMap<&'static str, Words>> = LazyLock::new(read);
        LISTS.get(language)
    }

    pub fn is_question(&self, words: &[String]) -> bool {
        words
            .first()
            .is_some_and(|first| self.question.matches(first))
    }

    /// Navigational.
    pub fn is_navigational(&self, words: &[String]) -> bool {
        self.navigational.matches_any(words)
    }

    pub fn is_commercial(&self, words: &[String]) -> bool {
        self.commercial.matches_any(words)
    }

    pub fn is_transactional(&self, words: &[String]) -> bool {
        self.transactional.matches_any(words)
    }
}

impl List {
    fn matches(&self, word: &str) -> bool {
        self.0.iter().any(|entry| match entry.strip_suffix('*') {
            Some(beginning) => word.starts_with(beginning),
            None => word == *entry,
        })
    }

    fn matches_any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.matches(word))
            || self.0.iter().any(|entry| {
                let phrase: Vec<&str> = entry.split('_').collect();
                phrase.len() > 1 && words.windows(phrase.len()).any(|window| window == phrase)
            })
    }
}

/// Lower case, without diacritics.
pub(super) fn folded_words(text: &str) -> Vec<String> {
    without_diacritics(&keyword_text::normalized(text))
        .unicode_words()
        .map(str::to_owned)
        .collect()
}

/// In any supported language.
pub(super) fn is_comparison_title(title: &str) -> bool {
    static COMPARISON_WORDS: LazyLock<List> = LazyLock::new(|| {
        List(
            "best review reviews beste besten test tests testsieger vergleich mejor mejores opiniones \
             nejlepsi recenz* srovnani najlepsi* najlepsz* porovnanie legjobb teszt velemenyek opinie ranking"
                .split(' ')
                .filter(|it| !it.is_empty())
                .collect(),
        )
    });
    // Folded once, which is the expensive part.
    folded_words(title)
        .iter()
        .any(|word| COMPARISON_WORDS.matches(word))
}

fn read() -> HashMap<&'static str, Words> {
    let mut lists = HashMap::new();
    for block in include_str!("words.txt").split("\n\n") {
        let rows: HashMap<&str, &str> = block
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(": "))
            .collect();
        let list = |name: &str| {
            let words = rows.get(name).copied().unwrap_or_default();
            List(words.split_whitespace().collect())
        };
        if let Some(language) = rows.get("language") {
            let words = Words {
                question: list("question"),
                commercial: list("commercial"),
                transactional: list("transactional"),
                navigational: list("navigational"),
            };
            lists.insert(*language, words);
        }
    }
    lists
}
