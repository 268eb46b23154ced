//! Syllables by the vowels of a word, where spelling tells them.

use crate::text::language::Language;

/// The nuclei of a lower-case word; `None` in languages whose spelling does not tell them.
///
/// Russian and Hungarian have as many syllables as vowels. In Czech and Slovak two vowels make one
/// syllable in the diphthongs listed here, and r or l between consonants makes one by itself
/// (`vlk`, `prst`, `štvrť`).
pub fn nuclei(word: &str, language: Language) -> Option<usize> {
    let rules = Rules::of(language)?;
    let letters: Vec<char> = word.chars().collect();
    let mut found = usize::from(rules.parts_prefix(word));
    let mut at = 0;
    while at < letters.len() {
        if rules.vowels.contains(letters[at]) {
            found += 1;
            at += usize::from(rules.is_diphthong(&letters[at..]));
        } else if rules.is_syllabic(&letters, at) {
            found += 1;
        }
        at += 1;
    }
    Some(found)
}

/// Whether a piece of a word can be a syllable.
pub fn is_syllable(piece: &str, language: Language) -> bool {
    nuclei(piece, language).is_none_or(|it| it > 0)
}

struct Rules {
    vowels: &'static str,
    diphthongs: &'static [[char; 2]],
    syllabic: &'static str,
}

impl Rules {
    const fn of(language: Language) -> Option<Self> {
        Some(match language {
            Language::Russian => Self {
                vowels: "аеёиоуыэюя",
                diphthongs: &[],
                syllabic: "",
            },
            Language::Hungarian => Self {
                vowels: "aáeéiíoóöőuúüű",
                diphthongs: &[],
                syllabic: "",
            },
            Language::Czech => Self {
                vowels: "aáeéěiíoóuúůyý",
                diphthongs: &[['o', 'u'], ['a', 'u'], ['e', 'u']],
                syllabic: "rl",
            },
            Language::Slovak => Self {
                vowels: "aáäeéiíoóôuúyý",
                diphthongs: &[
                    ['i', 'a'],
                    ['i', 'e'],
                    ['i', 'u'],
                    ['o', 'u'],
                    ['a', 'u'],
                    ['e', 'u'],
                ],
                syllabic: "rlŕĺ",
            },
            _ => return None,
        })
    }

    /// Whether a word begins with a prefix whose vowel does not join the next (`po-užít`).
    fn parts_prefix(&self, word: &str) -> bool {
        let parted = ["použ", "pouka", "pouč", "nauč"];
        !self.diphthongs.is_empty() && parted.iter().any(|it| word.starts_with(it))
    }

    fn is_diphthong(&self, letters: &[char]) -> bool {
        matches!(letters, [one, other, ..] if self.diphthongs.contains(&[*one, *other]))
    }

    /// Whether the letter is an r or l after a consonant that is neither, and before none of the
    /// vowels.
    fn is_syllabic(&self, letters: &[char], at: usize) -> bool {
        let after_consonant = at.checked_sub(1).is_some_and(|it| {
            let before = letters[it];
            before.is_alphabetic()
                && !self.vowels.contains(before)
                && !self.syllabic.contains(before)
        });
        let before_vowel = letters
            .get(at + 1)
            .is_some_and(|it| self.vowels.contains(*it));
        self.syllabic.contains(letters[at]) && after_consonant && !before_vowel
    }
}
