//! Whether a password is among those that others try first.
//!
//! How many guesses it takes is estimated by `zxcvbn` (Wheeler, "zxcvbn: Low-Budget Password
//! Strength Estimation", USENIX Security 2016), which knows the tens of thousands of commonest
//! passwords, words of many languages, names, dates, keyboards' rows, repeats and runs.

use std::collections::BTreeSet;
use zxcvbn::{Score, zxcvbn};

/// Our own name is the first that somebody tries here.
const OURS: [&str; 2] = ["sightline", "seo"];
/// So many characters are estimated at a time: the effort grows with the square of their number, and of those that stand
/// for letters (`@`, `4`) faster still. 48 take 0.14 s at the most, 256 would take 1.6 s.
const CHARACTERS: usize = 48;
/// Names of fewer characters are in too many words to say anything.
const SHORTEST_NAME: usize = 3;

/// Whether fewer than ten thousand million guesses find it (score 3 or less), where names that others
/// may know count as words of the dictionary. At the least cost of a hash that is eight years of a core.
pub fn is_easily_guessed(text: &str, known: &[&str]) -> bool {
    let words = words(known);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_weak = |part: &str| zxcvbn(part, &words).score() < Score::Four;
    let count = text.chars().count();
    let at = |characters: usize| {
        let mut places = text.char_indices().map(|(at, _)| at);
        places.nth(characters).unwrap_or(text.len())
    };
    // What adds to a part that is hard to guess makes nothing easier.
    is_weak(&text[..at(CHARACTERS)])
        && (count <= CHARACTERS || is_weak(&text[at(count - CHARACTERS)..]))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_long_texts_both_ends_are_estimated() {
        let random = "kv9#Tq2!zLw8@mXr4$Bn";
        let weak = "password".repeat(8);
        assert!(is_easily_guessed(&weak, &[]));
        assert!(!is_easily_guessed(&format!("{random}{weak}"), &[]));
        assert!(!is_easily_guessed(&format!("{weak}{random}"), &[]));
        assert!(is_easily_guessed(&"č".repeat(256), &[]));
    }
}
