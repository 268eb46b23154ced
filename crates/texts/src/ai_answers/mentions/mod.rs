//! All spellings are matched at once (Aho–Corasick). A match counts if it starts a word, is followed by nothing or an
//! ending of the language, has fitting capitals, and no longer name covers it. Names that may be common words need a
//! cue: the brand's site, an unambiguous mention, a company word, or a list of names.

use super::brands::{BrandBook, BrandId, Case, OWN, Pattern, Sense};
use super::endings::Form;
use super::folded::{Folded, fold};
use super::languages::Languages;
use super::prose::Prose;
use super::{cues, endings};
use crate::observation::ai_answer::TextSpan;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    pub brand: BrandId,
    /// In bytes of the text; includes the ending.
    pub span: TextSpan,
    pub is_host: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundMentions {
    /// In the order of the text, without overlaps.
    pub mentions: Vec<Mention>,
    /// May be names or common words: no cue decides.
    pub ambiguous: Vec<Mention>,
}

impl FoundMentions {
    /// By first mention.
    pub fn brands(&self) -> Vec<BrandId> {
        let mut order = Vec::new();
        for mention in &self.mentions {
            if !order.contains(&mention.brand) {
                order.push(mention.brand);
            }
        }
        order
    }
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    start: usize,
    end: usize,
    /// Bytes of the name, without the ending.
    length: usize,
    brand: BrandId,
    host: Option<TextSpan>,
    is_sure: bool,
}

/// Shorter prompts are not treated as echoed, unless they end in a question mark.
const MIN_ECHO: usize = 4;

impl BrandBook {
    pub fn names_own(&self, text: &str, language: &str) -> bool {
        self.named_in(text, language).contains(&OWN)
    }

    /// Brands that a text may name. Lower-case names count, as in keywords, unless they are common words.
    pub fn named_in(&self, text: &str, language: &str) -> BTreeSet<BrandId> {
        let visible = Prose::of(text);
        let found = mentions(
            self,
            &visible,
            Languages::of(language),
            None,
            &BTreeSet::new(),
        );
        let names = found.mentions.iter().chain(&found.ambiguous);
        let hosts = visible
            .links
            .iter()
            .filter_map(|it| self.owner_of_url(&it.url));
        let mut brands: BTreeSet<BrandId> = names.map(|it| it.brand).chain(hosts).collect();
        // Keywords are in lower case: "apple reviews".
        let folded = format!(" {} ", fold(text));
        for pattern in self.patterns.iter().filter(|it| it.form == Form::Whole) {
            if folded.contains(&format!(" {} ", pattern.text)) && pattern.sense == Sense::Sure {
                brands.insert(pattern.brand);
            }
        }
        brands
    }
}

/// Echoes of the prompt do not count. `sites_seen`: brands with pages that the answer cites, a cue for their names.
pub fn mentions(
    book: &BrandBook,
    visible: &Prose,
    languages: Languages,
    prompt: Option<&str>,
    sites_seen: &BTreeSet<BrandId>,
) -> FoundMentions {
    let folded = Folded::of(&visible.text, &visible.masked);
    let mut candidates = candidates_by_name(book, visible, &folded, languages);
    candidates.extend(candidates_by_host(book, visible, &folded));
    // Leftmost first; at equal starts, the longest name.
    candidates.sort_by(|a, b| {
        (a.start, std::cmp::Reverse(a.length), !a.is_sure).cmp(&(
            b.start,
            std::cmp::Reverse(b.length),
            !b.is_sure,
        ))
    });
    let mut behind = 0;
    candidates.retain(|it| {
        let is_free = it.start >= behind;
        if is_free {
            behind = it.end;
        }
        is_free
    });
    let echoes = echoes(&folded.text, prompt);
    candidates.retain(|it| {
        !echoes
            .iter()
            .any(|(start, end)| *start <= it.start && it.end <= *end)
    });
    resolve_ambiguous(&mut candidates, book, &folded.text, sites_seen);
    let mut found = FoundMentions::default();
    for candidate in candidates {
        let mention = Mention {
            brand: candidate.brand,
            span: candidate
                .host
                .unwrap_or_else(|| folded.source_span(candidate.start, candidate.end)),
            is_host: candidate.host.is_some(),
        };
        if candidate.is_sure {
            found.mentions.push(mention);
        } else {
            found.ambiguous.push(mention);
        }
    }
    found
}

fn candidates_by_name(
    book: &BrandBook,
    visible: &Prose,
    folded: &Folded,
    languages: Languages,
) -> Vec<Candidate> {
    let text = folded.text.as_str();
    let Some(automaton) = &book.automaton else {
        return Vec::new();
    };
    let hits = automaton.find_overlapping_iter(text);
    hits.filter_map(|hit| {
        let pattern = &book.patterns[hit.pattern()];
        let (start, end) = (hit.start(), hit.end());
        let is_read = pattern.only_in.is_none_or(|it| it.intersects(languages));
        let begins = is_read && !text[..start].ends_with(is_word_character);
        let rest = begins.then(|| rest_of_word(&text[end..]))??;
        let last = text[..end].chars().next_back()?;
        if !endings::fits(pattern.form, rest, last, languages) {
            return None;
        }
        let whole = folded.source_span(start, end + rest.len());
        let name = folded.source_span(start, end);
        let (name, ending) = (
            &visible.text[name.start..name.end],
            &visible.text[name.end..whole.end],
        );
        if !capitals_fit(pattern, name, ending, languages) {
            return None;
        }
        Some(Candidate {
            start,
            end: end + rest.len(),
            length: end - start,
            brand: pattern.brand,
            host: None,
            is_sure: is_sure(pattern, languages),
        })
    })
    .collect()
}

fn candidates_by_host(book: &BrandBook, visible: &Prose, folded: &Folded) -> Vec<Candidate> {
    let hosts = visible.hosts.iter();
    hosts
        .filter_map(|it| {
            let at = folded.folded_offset(it.span.start);
            Some(Candidate {
                start: at,
                end: at + 1,
                length: 1,
                brand: book.owner_of_host(&it.host)?,
                host: Some(it.span),
                is_sure: true,
            })
        })
        .collect()
}

fn is_word_character(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// `None` if longer than any ending.
fn rest_of_word(text: &str) -> Option<&str> {
    let end = text.find(|it| !is_word_character(it)).unwrap_or(text.len());
    (end <= endings::MAX_ENDING_BYTES).then(|| &text[..end])
}

fn needs_cue(pattern: &Pattern, languages: Languages) -> bool {
    match pattern.sense {
        Sense::Sure => false,
        Sense::WordIn(words) => words.intersects(languages),
        Sense::Unsure => true,
    }
}

fn is_sure(pattern: &Pattern, languages: Languages) -> bool {
    !needs_cue(pattern, languages)
}

/// Endings are lower case unless the whole name is upper case; a lower-case name plus `s` is another word.
fn capitals_fit(pattern: &Pattern, name: &str, ending: &str, languages: Languages) -> bool {
    let plain =
        |text: &str| -> Vec<char> { text.chars().filter(|it| it.is_alphanumeric()).collect() };
    let letters = plain(name);
    let is_large = |it: &char| !it.is_alphabetic() || it.is_uppercase();
    let all_large = letters.iter().all(is_large);
    let begins_large = letters.first().is_some_and(is_large);
    let ending_fits = ending.chars().all(|it| !it.is_uppercase()) || all_large;
    let plural_fits = !ending.eq_ignore_ascii_case("s") || begins_large;
    let is_named = match &pattern.case {
        Case::Any => true,
        Case::EachPart => name
            .split([' ', '-'])
            .all(|it| it.chars().next().is_some_and(char::is_uppercase)),
        Case::AsIn(written) => {
            let written = plain(written);
            let alike = letters.iter().zip(&written);
            let as_written =
                { alike }.all(|(one, other)| one.is_uppercase() == other.is_uppercase());
            // All-caps headings, and names that are not words in this language, may deviate.
            as_written
                || (all_large && letters.len() > 3)
                || (matches!(pattern.sense, Sense::WordIn(_)) && is_sure(pattern, languages))
        }
    };
    ending_fits && plural_fits && is_named
}

fn echoes(text: &str, prompt: Option<&str>) -> Vec<(usize, usize)> {
    let prompt = prompt.map(fold).unwrap_or_default();
    if prompt.split_whitespace().count() < MIN_ECHO && !prompt.ends_with('?') {
        return Vec::new();
    }
    text.match_indices(&prompt)
        .map(|(at, it)| (at, at + it.len()))
        .collect()
}

/// Cues: the brand's site or an unambiguous mention anywhere, a company word nearby, a list with such a mention.
fn resolve_ambiguous(
    candidates: &mut [Candidate],
    book: &BrandBook,
    text: &str,
    sites_seen: &BTreeSet<BrandId>,
) {
    let mut known: BTreeSet<BrandId> = sites_seen.clone();
    known.extend(candidates.iter().filter(|it| it.is_sure).map(|it| it.brand));
    for candidate in candidates.iter_mut().filter(|it| !it.is_sure) {
        candidate.is_sure = known.contains(&candidate.brand)
            || cues::has_company_cue(text, candidate.start, candidate.end, &book.categories);
    }
    let joined = |a: &Candidate, b: &Candidate| cues::joins_list(&text[a.end..b.start]);
    for at in 1..candidates.len() {
        if candidates[at - 1].is_sure && !candidates[at].is_sure {
            candidates[at].is_sure = joined(&candidates[at - 1], &candidates[at]);
        }
    }
    for at in (1..candidates.len()).rev() {
        if candidates[at].is_sure && !candidates[at - 1].is_sure {
            candidates[at - 1].is_sure = joined(&candidates[at - 1], &candidates[at]);
        }
    }
}

#[cfg(test)]
mod tests;
