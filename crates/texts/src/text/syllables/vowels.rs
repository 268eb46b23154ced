use crate::text::language::Language;

/// `word` in lower case; `None` in languages without phonetic spelling. Russian and Hungarian: one per vowel. Czech and
/// Slovak: also one per diphthong, and per syllabic r or l between consonants (`vlk`, `prst`, `štvrť`).
pub fn nuclei(word: &str, language: Language) -> Option<usize> {
    let rules = Rules::of(language)?;
    let letters: Vec<char> = word.chars().collect();
    let mut found = usize::from(rules.splits_prefix(word));
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

    /// Prefixes with a vowel that forms no diphthong with the next (`po-užít`).
    fn splits_prefix(&self, word: &str) -> bool {
        let parted = ["použ", "pouka", "pouč", "nauč"];
        !self.diphthongs.is_empty() && parted.iter().any(|it| word.starts_with(it))
    }

    fn is_diphthong(&self, letters: &[char]) -> bool {
        matches!(letters, [one, other, ..] if self.diphthongs.contains(&[*one, *other]))
    }

    /// r or l after another consonant and not before a vowel.
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
