//! Abbreviations that rarely end a sentence (titles, "for example"). Those that are also words or often end sentences
//! count only before a number (`no. 5`, `Art. 20`); others (`etc.`, `usw.`) UAX #29 continues before a lower-case
//! letter. Single letters need no entry.

use crate::{table::records, text::language::Language};
use std::{collections::HashMap, sync::LazyLock};

struct Abbreviation {
    language: Language,
    before_anything: bool,
}

static LISTS: LazyLock<HashMap<&'static str, Vec<Abbreviation>>> = LazyLock::new(|| {
    let mut lists: HashMap<&'static str, Vec<Abbreviation>> = HashMap::new();
    for [language, before, abbreviations] in records::<3>(include_str!("abbreviations.tsv")) {
        let Some(language) = Language::from_tag(language) else {
            continue;
        };
        for abbreviation in abbreviations.split(' ') {
            lists.entry(abbreviation).or_default().push(Abbreviation {
                language,
                before_anything: before == "anything",
            });
        }
    }
    lists
});

pub fn continues_sentence(token: &str, language: Language, number_follows: bool) -> bool {
    // No entry is longer, so longer tokens need no lower-casing.
    if token.len() > 24 {
        return false;
    }
    let token = token.to_lowercase();
    LISTS.get(token.as_str()).is_some_and(|listed| {
        listed
            .iter()
            .any(|it| it.language == language && (it.before_anything || number_follows))
    })
}
