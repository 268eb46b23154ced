//! Keyword uses, density and stuffing in a text.

mod questions;

pub use questions::{is_question, question_share};

use super::{language::Language, stems::stem, words::words};
use crate::{ToSchema, keyword_text::normalized};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick};

/// Minimum density of keyword stuffing.
pub const STUFFED_DENSITY: f64 = 0.03;

/// Minimum uses of keyword stuffing.
pub const STUFFED_USES: usize = 8;

/// Compares words exactly, folded, and by stem.
#[derive(Debug, Clone)]
pub struct IndexedText {
    /// By block, since phrases do not cross blocks; indices of [`Self::forms`].
    blocks: Vec<Vec<Word>>,
    /// Unique.
    forms: Vec<Forms>,
    language: Option<Language>,
    words: usize,
}

type Word = u32;

/// Matches no word.
const UNINDEXED: Word = Word::MAX;

#[derive(Debug, Clone)]
struct Forms {
    exact: String,
    folded: String,
    stem: String,
}

/// How often a phrase is in a text. Uses do not overlap, and each figure but the first includes it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhraseUses {
    /// Word for word, case folded.
    pub exact: usize,
    /// Also with other diacritics or none (`hotely v praze` for `hotely v Práze`).
    pub folded: usize,
    /// Also in other inflections, by stems; `None` without a language.
    pub inflected: Option<usize>,
    /// Words of all uses (inflected, where known) per words of the text; `None` for a text without
    /// words.
    pub density: Option<f64>,
    /// Whether the density is at least 3 % with at least 8 uses.
    pub stuffed: bool,
}

impl IndexedText {
    /// Blocks are separated by line feeds.
    pub fn new(text: &str, language: Option<Language>) -> Self {
        Self::with_filter(text, language, |_| true)
    }

    /// Words that share no first letter with a phrase are only counted: stemmers keep it, except for diacritics.
    pub fn for_phrases<T: AsRef<str>>(
        text: &str,
        language: Option<Language>,
        phrases: &[T],
    ) -> Self {
        let mut beginnings = BTreeSet::new();
        for phrase in phrases {
            let plain = without_diacritics(&normalized(phrase.as_ref()));
            beginnings.extend(words(&plain).filter_map(|it| it.chars().next()));
        }
        Self::with_filter(text, language, |word| {
            let first = word.chars().next().unwrap_or_default();
            let plain = if first.is_ascii() {
                Some(first)
            } else {
                let plain = without_diacritics(first.encode_utf8(&mut [0; 4]));
                plain.chars().next()
            };
            plain.is_some_and(|it| beginnings.contains(&it))
        })
    }

    fn with_filter(
        text: &str,
        language: Option<Language>,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Self {
        let text = normalized_lines(text);
        let mut known: HashMap<&str, Word> = HashMap::new();
        let mut forms = Vec::new();
        let mut number = |word| {
            if !is_wanted(word) {
                return UNINDEXED;
            }
            *known.entry(word).or_insert_with(|| {
                forms.push(form(word, language));
                // Never reached: 2^32 words do not fit into memory.
                Word::try_from(forms.len() - 1).unwrap_or(UNINDEXED)
            })
        };
        let blocks: Vec<Vec<Word>> = text
            .lines()
            .map(|block| words(block).map(&mut number).collect())
            .filter(|it: &Vec<_>| !it.is_empty())
            .collect();
        Self {
            words: blocks.iter().map(Vec::len).sum(),
            blocks,
            forms,
            language,
        }
    }

    pub const fn words(&self) -> usize {
        self.words
    }

    /// 0 for a phrase without words.
    pub fn uses(&self, phrase: &str) -> PhraseUses {
        let phrase = forms(phrase, self.language);
        let exact = self.occurrences(&phrase, |it| &it.exact);
        let folded = self.occurrences(&phrase, |it| &it.folded);
        let inflected = self
            .language
            .map(|_| self.occurrences(&phrase, |it| &it.stem));
        let uses = inflected.unwrap_or(exact);
        let density = density(uses, phrase.len(), self.words);
        PhraseUses {
            exact,
            folded,
            inflected,
            density,
            stuffed: uses >= STUFFED_USES && density.is_some_and(|it| it >= STUFFED_DENSITY),
        }
    }

    /// From the left, without overlaps.
    fn occurrences(&self, phrase: &[Forms], form: impl Fn(&Forms) -> &str) -> usize {
        if phrase.is_empty() {
            return 0;
        }
        let alike = |wanted: &Forms| {
            let words = (0..).zip(&self.forms);
            let alike = words.filter(|(_, it)| form(it) == form(wanted));
            alike.map(|it| it.0).collect::<Vec<Word>>()
        };
        let phrase: Vec<Vec<Word>> = phrase.iter().map(alike).collect();
        if phrase.iter().any(Vec::is_empty) {
            return 0;
        }
        let is_at = |words: &[Word]| {
            let mut pairs = words.iter().zip(&phrase);
            words.len() >= phrase.len() && pairs.all(|(word, alike)| alike.contains(word))
        };
        let in_block = |block: &Vec<Word>| {
            let (mut found, mut at) = (0, 0);
            while at + phrase.len() <= block.len() {
                let here = is_at(&block[at..]);
                found += usize::from(here);
                at += if here { phrase.len() } else { 1 };
            }
            found
        };
        self.blocks.iter().map(in_block).sum()
    }
}

/// Share of the text's words in uses of the phrase; `None` for a text without words.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn density(uses: usize, phrase_words: usize, text_words: usize) -> Option<f64> {
    (text_words > 0).then(|| (uses * phrase_words) as f64 / text_words as f64)
}

/// Letters that do not decompose (`ł`, `ø`, `ß`) stay.
pub fn without_diacritics(text: &str) -> String {
    let is_plain = || {
        is_nfd_quick(text.chars()) == IsNormalized::Yes
            && is_nfc_quick(text.chars()) == IsNormalized::Yes
            && !text.chars().any(is_combining_mark)
    };
    if text.is_ascii() || is_plain() {
        return text.to_owned();
    }
    text.nfd()
        .filter(|it| !is_combining_mark(*it))
        .nfc()
        .collect()
}

fn forms(text: &str, language: Option<Language>) -> Vec<Forms> {
    let text = normalized(text);
    words(&text).map(|it| form(it, language)).collect()
}

fn form(word: &str, language: Option<Language>) -> Forms {
    Forms {
        exact: word.to_owned(),
        folded: without_diacritics(word),
        stem: language.map_or_else(String::new, |it| stem(word, it)),
    }
}

fn normalized_lines(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lines: Vec<String> = text.lines().map(normalized).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests;
