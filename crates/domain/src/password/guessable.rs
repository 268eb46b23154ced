//! Whether a password is among those that others try first.
//!
//! How many guesses it takes is estimated by `zxcvbn` (Wheeler, "zxcvbn: Low-Budget Password
//! Strength Estimation", USENIX Security 2016), which knows the tens of thousands of commonest
//! passwords, words of many languages, names, dates, keyboards' rows, repeats and runs.

use std::collections::BTreeSet;
use zxcvbn::{Score, zxcvbn};

/// Our own name is the first that somebody tries here.
const OURS: [&str; 2] = ["sightline", "seo"];
/// Names of fewer characters are in too many words to say anything.
const SHORTEST_NAME: usize = 3;

/// Whether fewer than ten thousand million guesses find it (score 3 or less), where names that others
/// may know count as words of the dictionary. At the least cost of a hash that is eight years of a core.
pub fn is_easily_guessed(text: &str, known: &[&str]) -> bool {
    let words = words(known);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    zxcvbn(text, &words).score() < Score::Four
}

/// Names and addresses, and the words that they are made of.
fn words(names: &[&str]) -> BTreeSet<String> {
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
        .filter(|it| it.chars().count() >= SHORTEST_NAME)
        .collect()
}
