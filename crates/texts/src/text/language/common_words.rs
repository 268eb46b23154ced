//! Common words confirm or reject a detected language, since the detector confuses related languages with high
//! confidence (Malay and Indonesian). Words such as `and` rarely coincide in related languages, and make up a tenth to
//! half of any text.

use crate::text::words::words;
use std::{collections::HashMap, sync::LazyLock};

/// Most frequent first; written by `tests/oracles/common_words.py`.
const TABLE: &str = include_str!("common_words.tsv");

/// 1 / minimum share of common words in a text, by `tests/oracles/many_languages.py`; low for inflected languages.
const MAX_WORDS_PER_COMMON_WORD: usize = 25;

/// Cyrillic letters of detectable languages; Mongolian, Kazakh and Tatar have more.
const CYRILLIC: [(&str, &str); 6] = [
    ("be", "абвгґдеёжзійклмнопрстуўфхцчшыьэюя"),
    ("bg", "абвгдежзийклмнопрстуфхцчшщъьюяѝ"),
    ("mk", "абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ"),
    ("ru", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
    ("sr", "абвгдђежзијклљмнњопрстћуфхцчџш"),
    ("uk", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"),
];

/// 1 / maximum share of foreign Cyrillic letters, which occur in names.
const MIN_LETTERS_PER_FOREIGN_LETTER: usize = 50;

struct CommonWords {
    languages: HashMap<&'static str, u8>,
    /// Sorted by word.
    words: Vec<(&'static str, u8)>,
}

static COMMON_WORDS: LazyLock<CommonWords> = LazyLock::new(|| {
    let lines = TABLE.lines().filter_map(|it| it.split_once('\t'));
    let numbered = || lines.clone().zip(0_u8..);
    let mut words: Vec<(&str, u8)> = numbered()
        .flat_map(|((_, words), number)| words.split(' ').map(move |it| (it, number)))
        .collect();
    words.sort_unstable();
    CommonWords {
        languages: numbered()
            .map(|((code, _), number)| (code, number))
            .collect(),
        words,
    }
});

impl CommonWords {
    fn languages_with(&self, word: &str) -> impl Iterator<Item = usize> {
        let from = self.words.partition_point(|it| it.0 < word);
        let same = self.words[from..].iter().take_while(move |it| it.0 == word);
        same.map(|it| usize::from(it.1))
    }
}

/// Enough common words, no other language has more, and no foreign letters. True for languages without word lists.
pub fn confirms_language(text: &str, code: &str) -> bool {
    let known = &*COMMON_WORDS;
    let Some(&own) = known.languages.get(code) else {
        return true;
    };
    let folded = text.to_lowercase().replace('’', "'");
    if has_foreign_letters(&folded, code) {
        return false;
    }
    let mut counts = vec![0_usize; known.languages.len()];
    let mut all = 0;
    for word in words(&folded).filter(|it| it.contains(char::is_alphabetic)) {
        all += 1;
        known.languages_with(word).for_each(|it| counts[it] += 1);
    }
    let own = counts[usize::from(own)];
    own * MAX_WORDS_PER_COMMON_WORD >= all && counts.iter().all(|it| *it <= own)
}

fn has_foreign_letters(lower: &str, code: &str) -> bool {
    let Some((_, letters)) = CYRILLIC.iter().find(|it| it.0 == code) else {
        return false;
    };
    let cyrillic = lower
        .chars()
        .filter(|it| ('\u{400}'..='\u{52f}').contains(it));
    let (all, foreign) = cyrillic.fold((0, 0), |(all, foreign), it| {
        (all + 1, foreign + usize::from(!letters.contains(it)))
    });
    foreign * MIN_LETTERS_PER_FOREIGN_LETTER > all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_language_with_forty_words_at_most() {
        for line in TABLE.lines().skip(1) {
            let (code, words) = line.split_once('\t').unwrap();
            assert!((2..=3).contains(&code.len()), "{line}");
            let count = words.split(' ').count();
            assert!((10..=40).contains(&count), "{code}: {count}");
            assert_eq!(words, words.to_lowercase(), "{code}");
        }
        assert!(COMMON_WORDS.languages.len() < usize::from(u8::MAX));
    }

    #[test]
    fn words_of_a_neighbour_refute_a_language() {
        let malay = "Kami akan menghantar barang anda kerana anda telah membayar, dan anda boleh datang ke kedai kami.";
        assert!(!confirms_language(malay, "id"));
        let indonesian = "Kami akan mengirim barang anda karena anda telah membayar, dan anda bisa datang ke toko kami.";
        assert!(confirms_language(indonesian, "id"));
        assert!(confirms_language("whatever", "ja"));
        assert!(confirms_language(
            "L’été n’est pas la saison où les gens dorment dans les champs.",
            "fr"
        ));
    }
}
