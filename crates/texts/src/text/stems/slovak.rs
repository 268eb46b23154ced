//! A light stemmer: strips endings of nouns, adjectives and comparatives (from grammars), and shortens vowels.

/// Of a stem.
const MIN_STEM_LETTERS: usize = 3;

/// With adjective endings (`rýchlejšieho`), longest first.
const COMPARISON: &[&str] = &[
    "ejšieho", "ejšiemu", "ejšími", "ejších", "ejšej", "ejšom", "ejšou", "ejším", "ejšia", "ejšie",
    "ejšiu", "ejší",
];

/// Of nouns and adjectives, longest first.
const ENDINGS: &[&str] = &[
    "atami", "atách", "iami", "iach", "ieho", "iemu", "ovia", "atám", "ými", "ých", "ého", "ému",
    "eho", "emu", "ymi", "ych", "ími", "ích", "imi", "ich", "ami", "ach", "och", "ách", "ovi",
    "iam", "mi", "ou", "ov", "om", "em", "am", "ám", "ým", "ím", "ym", "im", "ej", "ia", "ie",
    "iu", "ií", "a", "á", "e", "é", "i", "í", "o", "u", "ú", "y", "ý", "ä",
];

/// `word` must be in lower case.
pub fn stem(word: &str) -> String {
    let cut = without_ending(word, COMPARISON).or_else(|| without_ending(word, ENDINGS));
    cut.unwrap_or(word).chars().map(shorten_vowel).collect()
}

fn without_ending<'a>(word: &'a str, endings: &[&str]) -> Option<&'a str> {
    let stems = endings.iter().filter_map(|it| word.strip_suffix(it));
    let mut kept = stems.filter(|it| it.chars().count() >= MIN_STEM_LETTERS);
    kept.next()
}

/// So that `kníh` matches `kniha`.
const fn shorten_vowel(letter: char) -> char {
    match letter {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' | 'ô' => 'o',
        'ú' => 'u',
        'ý' => 'y',
        'ĺ' => 'l',
        'ŕ' => 'r',
        other => other,
    }
}
