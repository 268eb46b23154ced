//! Counts of the CMU pronouncing dictionary, by rules: `english_exceptions.txt` has the words with another count
//! (of the first pronunciation). `tests/oracles/english_syllables.py --write` writes it, and measures the rules alone.

use std::{collections::HashMap, sync::LazyLock};

/// Lines of a count and its words; `#` begins a comment.
const EXCEPTIONS: &str = include_str!("english_exceptions.txt");

static DICTIONARY: LazyLock<HashMap<&'static str, u8>> = LazyLock::new(|| {
    let lines = EXCEPTIONS.lines().filter(|it| !it.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(count, words)| Some((count.parse().ok()?, words)))
        .flat_map(|(count, words)| words.split(' ').map(move |word| (word, count)))
        .collect()
});

/// At least 1.
pub fn count(word: &str) -> usize {
    let word = word.to_lowercase().replace('’', "'");
    DICTIONARY
        .get(word.as_str())
        .map_or_else(|| by_rules(&word), |it| usize::from(*it))
}

/// At least 1; `word` in lower case. Vowel groups less silent ones, plus those of two syllables.
pub fn by_rules(word: &str) -> usize {
    let (base, genitive) = match word.strip_suffix("'s") {
        Some(base) => (base, usize::from(ends_in_sibilant(base))),
        None => (word, 0),
    };
    let letters: Vec<char> = base.chars().collect();
    let groups = vowel_groups(&letters);
    let sounding = groups + hiatuses(&letters) + syllabic_consonants(base, &letters);
    let mute = silent_at_end(base, &letters, groups) + silent_inside(base);
    sounding.saturating_sub(mute).max(1) + genitive
}

fn is_vowel(letter: char) -> bool {
    matches!(
        letter,
        'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'á' | 'é' | 'í' | 'ó' | 'ú' | 'è' | 'ê' | 'ö' | 'ü'
    )
}

/// After a sibilant the genitive adds a syllable (`boss's`, `church's`).
fn ends_in_sibilant(base: &str) -> bool {
    ends_with_any(
        base,
        &["s", "x", "z", "c", "se", "xe", "ze", "ce", "ge", "sh", "ch"],
    )
}

/// A `u` after `q` is part of the consonant.
fn vowel_groups(letters: &[char]) -> usize {
    let mut before = ' ';
    let mut count = 0;
    for &letter in letters {
        if letter == 'u' && before == 'q' {
            continue;
        }
        count += usize::from(is_vowel(letter) && !is_vowel(before));
        before = letter;
    }
    count
}

/// Vowel pairs of two syllables (`ra-di-o`, `qui-et`, `be-ing`, `cre-ate`).
fn hiatuses(letters: &[char]) -> usize {
    let at = |it: Option<usize>| it.and_then(|it| letters.get(it)).copied().unwrap_or(' ');
    let is_parted = |second: &usize| {
        let (first, after) = (second - 1, at(Some(second + 1)));
        let before = at(first.checked_sub(1));
        let rest = &letters[second + 1..];
        match (letters[first], letters[*second]) {
            // One syllable in nation, region, million, onion; also in special, Russian.
            ('i', 'o') => !matches!(
                (before, after),
                ('t' | 's' | 'c' | 'g' | 'x', _) | ('l' | 'n', 'n')
            ),
            ('i', 'u') => !matches!(before, 't' | 's' | 'c' | 'g' | 'x'),
            ('i', 'a') => !matches!((before, after), ('t' | 's' | 'c' | 'g' | 'x', 'l' | 'n')),
            ('i', 'i') => true,
            ('e', 'o') => !matches!(before, 'g' | 'p'),
            ('u', 'a') => !matches!(before, 'q' | 'g'),
            ('u', 'o') => before != 'q',
            ('u', 'e') => after == 'l' || (after == 'n' && !matches!(before, 'q' | 'g')),
            ('u', 'i')
                if !matches!(before, 'r' | 'q') && matches!(rest, ['t', 'y' | 'i' | 'o', ..]) =>
            {
                true
            }
            ('u' | 'y' | 'e' | 'o' | 'a', 'i') => rest.starts_with(&['n', 'g']),
            ('i', 'e') => {
                (after == 't' && before != 'r') || matches!(rest, ['r'] | ['s', 't'] | ['r', 's'])
            }
            ('y', 'a' | 'o') => first > 0,
            ('y', 'e') => first > 1 && matches!(rest, ['r' | 'd'] | ['r', 's']),
            ('e', 'a') => {
                first > 1
                    && letters.len() < 12
                    && after == 't'
                    && letters[first - 2..first] == ['c', 'r']
            }
            _ => false,
        }
    };
    (1..letters.len()).filter(is_parted).count()
}

/// Syllabic consonants at the end: `lit-tle`, `pris-m`, `rhyth-m`, `does-n't`.
fn syllabic_consonants(base: &str, letters: &[char]) -> usize {
    let little = match letters {
        [.., before, 'l', 'e'] | [.., before, 'l', 'e', 's' | 'd'] => {
            !matches!(before, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'l')
        }
        _ => false,
    };
    usize::from(little || ends_with_any(base, &["sm", "thm", "dn't", "sn't"]))
}

/// Silent `e` at the end (`make`), before `d` or `s` (`asked`, `makes`) or suffixes (`care-ful`); the `a` of `-ically`.
fn silent_at_end(base: &str, letters: &[char], groups: usize) -> usize {
    if groups < 2 {
        return 0;
    }
    let consonant = |it: &char| !matches!(it, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let last = match letters {
        [.., before, 'e'] => consonant(before),
        [.., before, 'e', 'd'] => consonant(before) && !matches!(before, 't' | 'd'),
        [.., 's' | 'c', 'h', 'e', 's'] => false,
        [.., before, 'e', 's'] => {
            consonant(before) && !matches!(before, 's' | 'x' | 'z' | 'c' | 'g')
        }
        _ => false,
    };
    let suffixes = ["ement", "ements", "eless", "eness", "ely", "eful"];
    let inside = groups > 2
        && suffixes.iter().any(|it| {
            base.strip_suffix(it)
                .is_some_and(|stem| stem.ends_with(|it| consonant(&it)))
        });
    usize::from(last) + usize::from(inside) + usize::from(base.ends_with("ically"))
}

/// Frequent first parts of compounds, with a silent last `e`.
const FIRST_PARTS: [&str; 31] = [
    "base", "byte", "cache", "case", "code", "date", "file", "frame", "home", "life", "line",
    "make", "name", "node", "pipe", "place", "pure", "save", "shape", "size", "some", "source",
    "space", "state", "style", "time", "trace", "type", "white", "wire", "write",
];

/// Silent `e` inside compounds (`base-ball`, `name-space`): a word follows (a consonant, then a vowel), not a suffix.
fn silent_inside(base: &str) -> usize {
    const SUFFIXES: [&str; 6] = ["ment", "ments", "less", "ness", "ly", "ful"];
    let is_word = |rest: &str| {
        rest.len() >= 3
            && !rest.starts_with(is_vowel)
            && rest.contains(is_vowel)
            && !SUFFIXES.contains(&rest)
    };
    let mut rests = FIRST_PARTS.iter().filter_map(|it| base.strip_prefix(it));
    usize::from(rests.any(is_word))
}

fn ends_with_any(base: &str, endings: &[&str]) -> bool {
    endings.iter().any(|it| base.ends_with(it))
}
