use super::record::Stuffing;
use crate::keyword_text::normalized;
use crate::observation::page_content::PageContent;
use crate::text::phrases::{IndexedText, STUFFED_USES, without_diacritics};
use crate::text::words::{shortened, words};
use std::collections::BTreeSet;

/// Words of a phrase from title or heading.
const PHRASE_WORDS: std::ops::RangeInclusive<usize> = 2..=4;
/// Minimum letters of its first and last word.
const MIN_LETTERS: usize = 4;
/// Phrases that are counted.
const MAX_PHRASES: usize = 100;

/// The densest phrase with at least 3 % of the words and 8 uses: a tracked keyword, or two to four words of the title
/// or first heading (not a single word, which may be the subject's name).
pub fn stuffing(page: &PageContent, keywords: &[String]) -> Option<Stuffing> {
    let mut phrases: BTreeSet<String> = keywords.iter().cloned().collect();
    let heads = [
        page.title(),
        page.heading(1).and_then(|it| it.text.as_deref()),
    ];
    for head in heads.into_iter().flatten() {
        phrases.extend(phrases_of(head));
    }
    let main = page.text.main.text();
    let folded = folded(&main);
    phrases.retain(|it| may_be_stuffed(it, &folded));
    if phrases.is_empty() {
        return None;
    }
    let phrases: Vec<String> = phrases.into_iter().take(MAX_PHRASES).collect();
    let text = IndexedText::for_phrases(&main, page.text.language, &phrases);
    let mut worst: Option<Stuffing> = None;
    for phrase in phrases {
        let uses = text.uses(&phrase);
        let Some(density) = uses.density.filter(|_| uses.stuffed) else {
            continue;
        };
        if worst.as_ref().is_none_or(|it| density > it.density) {
            worst = Some(Stuffing {
                phrase,
                uses: u32::try_from(uses.inflected.unwrap_or(uses.exact)).unwrap_or(u32::MAX),
                density,
            });
        }
    }
    worst
}

/// Cheap check by prefixes of the phrase's words, to save stemming; no stuffed phrase fails.
fn may_be_stuffed(phrase: &str, text: &str) -> bool {
    let phrase = folded(phrase);
    let often = |word: &str| {
        let beginning = shortened(word, 3);
        text.matches(beginning).take(STUFFED_USES).count() == STUFFED_USES
    };
    words(&phrase).next().is_some() && words(&phrase).all(often)
}

/// Width and case folded, without diacritics, as phrases are compared; one block per line.
fn folded(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for block in text.lines() {
        if block.is_ascii() {
            all.extend(block.chars().map(|it| it.to_ascii_lowercase()));
        } else {
            all.push_str(&without_diacritics(&normalized(block)));
        }
        all.push('\n');
    }
    all
}

fn phrases_of(head: &str) -> Vec<String> {
    let lower = head.to_lowercase();
    let all: Vec<&str> = words(&lower).take(30).collect();
    let is_long = |it: &str| it.chars().count() >= MIN_LETTERS;
    let mut found = Vec::new();
    for length in PHRASE_WORDS {
        let matching = all.windows(length).filter(|it| {
            it.first().is_some_and(|it| is_long(it)) && it.last().is_some_and(|it| is_long(it))
        });
        found.extend(matching.map(|it| it.join(" ")));
    }
    found
}
