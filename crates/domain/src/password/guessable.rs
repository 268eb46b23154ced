//! Whether a password is among those that attackers try first.
//!
//! `zxcvbn` estimates the number of guesses (Wheeler, "zxcvbn: Low-Budget Password Strength
//! Estimation", USENIX Security 2016). It knows tens of thousands of common passwords, words of
//! many languages, names, dates, keyboard rows, repeats and sequences.

use std::collections::BTreeSet;
use zxcvbn::{Score, zxcvbn};

/// The service's own name is an obvious guess.
const OURS: [&str; 2] = ["sightline", "seo"];
/// Characters estimated at a time. The effort grows with their square, and faster with characters
/// that replace letters (`@`, `4`): 48 take at most 0.14 s, 256 would take 1.6 s.
const CHARACTERS: usize = 48;
/// Shorter names occur in too many words.
const MIN_NAME_CHARS: usize = 3;

/// Whether fewer than 10¹⁰ guesses find it (score 3 or less), with publicly known names as
/// dictionary words. At the minimum hash cost, 10¹⁰ guesses take one core eight years.
pub fn is_easily_guessed(text: &str, known: &[&str]) -> bool {
    let words = words(known);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_weak = |part: &str| zxcvbn(part, &words).score() < Score::Four;
    let count = text.chars().count();
    let at = |characters: usize| {
        let mut places = text.char_indices().map(|(at, _)| at);
        places.nth(characters).unwrap_or(text.len())
    };
    // Adding to a strong part does not weaken it.
    is_weak(&text[..at(CHARACTERS)])
        && (count <= CHARACTERS || is_weak(&text[at(count - CHARACTERS)..]))
}

/// Names and addresses, and the words in them.
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
        .filter(|it| it.chars().count() >= MIN_NAME_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_long_passwords_are_estimated() {
        let random = "kv9#Tq2!zLw8@mXr4$Bn";
        let weak = "password".repeat(8);
        assert!(is_easily_guessed(&weak, &[]));
        assert!(!is_easily_guessed(&format!("{random}{weak}"), &[]));
        assert!(!is_easily_guessed(&format!("{weak}{random}"), &[]));
        assert!(is_easily_guessed(&"č".repeat(256), &[]));
    }
}
