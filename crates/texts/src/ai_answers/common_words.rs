//! Languages in which a name is also a common word.

use super::languages::Languages;
use std::{collections::HashMap, sync::LazyLock};

pub(super) fn languages_of_word(word: &str) -> Languages {
    static LIST: LazyLock<HashMap<&'static str, Languages>> = LazyLock::new(|| {
        let mut list: HashMap<&'static str, Languages> = HashMap::new();
        for row in include_str!("common_words.tsv").lines() {
            let Some((language, words)) = row.split_once('\t') else {
                continue;
            };
            for word in words.split(' ') {
                let known = list.entry(word).or_default();
                *known = known.with(Languages::of(language));
            }
        }
        list
    });
    LIST.get(word).copied().unwrap_or_default()
}

/// Abbreviations with a common meaning: units, fields, countries, titles.
pub(super) fn is_abbreviation(word: &str) -> bool {
    ABBREVIATIONS.contains(&word)
}

#[rustfmt::skip]
const ABBREVIATIONS: [&str; 64] = [
    "abc", "abs", "add", "aid", "aka", "all", "api", "app", "atm", "bio", "bmi", "box", "cad", "ceo", "cfo", "cms", "cpu",
    "crm", "css", "cto", "cpm", "cpc", "diy", "dna", "dns", "dvd", "eco", "erp", "eur", "faq", "fit", "fun", "gdp", "gif",
    "gmo", "gps", "gpu", "gym", "hdd", "how", "huf", "ios", "jpg", "kpi", "led", "lcd", "max", "min", "new", "now", "one",
    "pdf", "pln", "pos", "pro", "ram", "roi", "seo", "ssd", "sql", "tax", "top", "usa", "vat",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_common_in_their_languages() {
        assert!(
            languages_of_word("lantern").contains("en")
                && !languages_of_word("lantern").contains("de")
        );
        assert!(
            languages_of_word("anker").contains("de") && languages_of_word("anker").contains("nl")
        );
        assert!(languages_of_word("nordika") == Languages::default());
    }

    #[test]
    fn every_language_has_a_list_of_folded_words() {
        for row in include_str!("common_words.tsv")
            .lines()
            .filter(|it| !it.starts_with('#'))
        {
            let (language, words) = row.split_once('\t').unwrap();
            assert!(Languages::of(language) != Languages::default());
            assert!(words.split(' ').count() > 100, "{language}");
            assert!(words.split(' ').all(|it| !it.is_empty()));
        }
    }
}
