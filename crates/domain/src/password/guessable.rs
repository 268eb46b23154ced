//! Whether a password is among those that others try first.
//!
//! `commonest.txt` holds the ten thousand commonest passwords in the order of how often they were
//! seen, and those of twelve characters and more among the next ten thousand: the list that Django
//! bundles (`common-passwords.txt`, by Royce Williams; BSD-3-Clause), lower-cased, without what is
//! not ASCII.

use std::{collections::HashSet, sync::LazyLock};

static COMMONEST: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("commonest.txt").lines().collect());

/// Our own name is the first that somebody tries here.
const OURS: [&str; 2] = ["sightline", "seo"];
/// Characters of a piece from the list, at the least and at the most.
const PIECE: std::ops::RangeInclusive<usize> = 3..=20;
/// One of ten thousand is about as hard to guess as three letters or digits.
const FROM_THE_LIST: u32 = 3;
const KNOWN: u32 = 1;
const REPEATED: u32 = 1;
/// What is left after all that may be guessed as a piece counts for fewer characters than this.
const LEAST: u32 = 8;

/// Whether a text is the sum of few guesses: words of the list, names that others know, repeats
/// and runs such as `abcd` count little, everything else a character each.
pub fn is_easily_guessed(text: &str, known: &[&str]) -> bool {
    let folded: Vec<char> = text.to_lowercase().chars().collect();
    let known = words(known);
    let mut least = vec![0_u32; folded.len() + 1];
    for end in 1..=folded.len() {
        let continues = end > 2 && is_run(&folded[end - 3..end]);
        let mut found = least[end - 1] + u32::from(!continues);
        for length in PIECE.filter(|it| *it <= end) {
            let piece: String = folded[end - length..end].iter().collect();
            let before = least[end - length];
            if known.contains(&piece) {
                found = found.min(before + KNOWN);
            }
            if COMMONEST.contains(piece.as_str()) {
                found = found.min(before + FROM_THE_LIST);
            }
        }
        for unit in 1..=end / 2 {
            if folded[end - unit..end] == folded[end - 2 * unit..end - unit] {
                found = found.min(least[end - unit] + REPEATED);
            }
        }
        least[end] = found;
        if end == folded.len() {
            return found < LEAST;
        }
    }
    true
}

/// Three characters of which each is the next, or the one before, of the one before it.
fn is_run(three: &[char]) -> bool {
    let step = |at: usize| i64::from(u32::from(three[at + 1])) - i64::from(u32::from(three[at]));
    let is_wrapped = |at: usize| matches!((three[at], three[at + 1]), ('9', '0') | ('0', '9'));
    let is_step = |at: usize| step(at).abs() == 1 || is_wrapped(at);
    is_step(0) && is_step(1) && (step(0) == step(1) || is_wrapped(0) || is_wrapped(1))
}

/// The words of names and addresses that are long enough to be recognised.
fn words(names: &[&str]) -> HashSet<String> {
    let split = names.iter().flat_map(|name| {
        let name = name.to_lowercase();
        let words: Vec<String> = name
            .split(|it: char| !it.is_alphanumeric())
            .map(str::to_owned)
            .collect();
        words.into_iter().chain([name])
    });
    split
        .chain(OURS.map(str::to_owned))
        .filter(|it| it.chars().count() >= *PIECE.start())
        .collect()
}
