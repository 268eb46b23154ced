//! Inflectional endings of names by language, folded (`ů` is `u`). Our lists: singular endings of nouns only, since
//! plural endings turn other words into names. An apostrophe ends a name in every language.

use super::languages::Languages;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Form {
    Whole,
    /// The name without its last vowel; an ending must replace it.
    WithoutVowel(char),
    /// The name with its last consonant softened (`Heureka`, `Heurece`), with exactly this ending.
    Softened(&'static str, &'static str),
}

/// In bytes.
pub(super) const MAX_ENDING_BYTES: usize = 5;

struct Endings {
    language: &'static str,
    whole: &'static [&'static str],
    after_a: &'static [&'static str],
    after_o: &'static [&'static str],
    after_e: &'static [&'static str],
}

#[rustfmt::skip]
const ALL: [Endings; 10] = [
    Endings { language: "en", whole: &["s"], after_a: &[], after_o: &[], after_e: &[] },
    Endings { language: "de", whole: &["s", "es"], after_a: &[], after_o: &[], after_e: &[] },
    Endings { language: "fr", whole: &["s"], after_a: &[], after_o: &[], after_e: &[] },
    Endings { language: "es", whole: &["s", "es"], after_a: &[], after_o: &[], after_e: &[] },
    Endings { language: "it", whole: &[], after_a: &["e"], after_o: &["i"], after_e: &["i"] },
    Endings { language: "nl", whole: &["s"], after_a: &[], after_o: &[], after_e: &[] },
    Endings {
        language: "cs",
        whole: &["u", "a", "e", "i", "y", "em", "ovi", "uv", "ova", "ovo", "ovy"],
        after_a: &["y", "e", "u", "ou", "o", "ina", "in", "iny"],
        after_o: &["a", "u", "em", "e"],
        after_e: &["i", "emi", "im"],
    },
    Endings {
        language: "sk",
        whole: &["u", "a", "e", "i", "y", "om", "ovi", "ov", "ova", "ovo", "ove"],
        after_a: &["y", "e", "u", "ou", "o", "in", "ina"],
        after_o: &["a", "u", "om", "e"],
        after_e: &["i", "om", "ou"],
    },
    Endings {
        language: "pl",
        whole: &["u", "a", "em", "iem", "owi", "ie", "zie", "y", "i", "e", "owa", "owy"],
        after_a: &["y", "i", "e", "ie", "ze", "o"],
        after_o: &["a", "u", "em", "ie"],
        after_e: &["a", "u", "em"],
    },
    Endings {
        language: "hu",
        whole: &[
            "t", "at", "et", "ot", "k", "ak", "ek", "ok", "nak", "nek", "val", "vel", "va", "ve", "ban", "ben", "ba", "be",
            "bol", "ra", "re", "rol", "tol", "hoz", "hez", "nal", "nel", "n", "on", "en", "ert", "ig", "kent", "e", "i",
            "ja", "je", "jat", "jet", "s", "os", "es", "as", "okat", "eket", "akat",
        ],
        after_a: &[],
        after_o: &[],
        after_e: &[],
    },
];

/// Consonants before `a` that soften before `e`: language, end of the name, its replacement, ending.
pub(super) const SOFTENED: [(&str, &str, &str, &str); 8] = [
    ("cs", "ka", "c", "e"),
    ("cs", "ga", "z", "e"),
    ("cs", "ha", "z", "e"),
    ("pl", "ka", "c", "e"),
    ("pl", "ga", "dz", "e"),
    ("pl", "t", "ci", "e"),
    ("pl", "ta", "ci", "e"),
    ("pl", "da", "dzi", "e"),
];

/// `last` is the last letter of the pattern.
pub(super) fn fits(form: Form, rest: &str, last: char, languages: Languages) -> bool {
    if let Form::Softened(language, ending) = form {
        return rest == ending && languages.contains(language);
    }
    if rest.is_empty() {
        return form == Form::Whole;
    }
    if rest.len() > MAX_ENDING_BYTES {
        return false;
    }
    let listed = { ALL.iter() }
        .filter(|it| languages.contains(it.language))
        .any(|endings| {
            let endings = match form {
                Form::WithoutVowel('a') => endings.after_a,
                Form::WithoutVowel('o') => endings.after_o,
                Form::WithoutVowel(_) => endings.after_e,
                _ => endings.whole,
            };
            endings.contains(&rest)
        });
    listed
        || (form == Form::Whole
            && languages.contains("hu")
            && is_hungarian_instrumental(rest, last))
}

/// Inflected forms of the first word of a multi-word name (`Nordiky Plus`).
pub(super) fn inflections(word: &str) -> Vec<(Languages, String)> {
    let mut found = Vec::new();
    let vowel = word
        .chars()
        .next_back()
        .filter(|it| matches!(it, 'a' | 'o' | 'e'));
    for endings in &ALL[FIRST_INFLECTING..] {
        let (stem, list) = match vowel {
            Some('a') => (&word[..word.len() - 1], endings.after_a),
            Some('o') => (&word[..word.len() - 1], endings.after_o),
            Some(_) => (&word[..word.len() - 1], endings.after_e),
            None => (word, endings.whole),
        };
        let languages = Languages::of(endings.language);
        found.extend(list.iter().map(|it| (languages, format!("{stem}{it}"))));
    }
    for (language, end, instead, ending) in SOFTENED {
        if let Some(stem) = word.strip_suffix(end) {
            found.push((Languages::of(language), format!("{stem}{instead}{ending}")));
        }
    }
    found
}

/// Index in [`ALL`] of the first language that inflects inner words of names.
const FIRST_INFLECTING: usize = 6;

/// Hungarian `-val` and `-vel` double the last consonant (`Lidllel`); a final `s` may double as spoken (`Plusszal`).
fn is_hungarian_instrumental(rest: &str, last: char) -> bool {
    let mut letters = rest.chars();
    let first = letters.next();
    let tail = letters.as_str();
    let is_with = |tail| matches!(tail, "al" | "el");
    let spoken = |tail| ALL[ALL.len() - 1].whole.contains(&tail) || is_with(tail);
    (first == Some(last) && is_with(tail))
        || (last == 's' && rest.strip_prefix("sz").is_some_and(is_with))
        || (last == 's' && rest.strip_prefix('z').is_some_and(spoken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_belong_to_their_languages() {
        let is = |code, form, rest, last| fits(form, rest, last, Languages::of(code));
        assert!(is("cs", Form::WithoutVowel('a'), "ou", 'k'));
        assert!(!is("en", Form::WithoutVowel('a'), "ou", 'k'));
        assert!(is("hu", Form::Whole, "lel", 'l') && !is("hu", Form::Whole, "lel", 't'));
        assert!(is("hu", Form::Whole, "szal", 's'));
        assert!(is("pl", Form::Softened("pl", "e"), "e", 'c'));
        assert!(!is("cs", Form::Softened("pl", "e"), "e", 'c'));
        assert!(!is("cs", Form::WithoutVowel('a'), "", 'k'));
        assert!(is("xx", Form::Whole, "", 'k'));
    }

    #[test]
    fn no_ending_exceeds_the_maximum() {
        for endings in &ALL {
            let lists = [
                endings.whole,
                endings.after_a,
                endings.after_o,
                endings.after_e,
            ];
            assert!(
                lists
                    .into_iter()
                    .flatten()
                    .all(|it| it.len() <= MAX_ENDING_BYTES)
            );
        }
    }
}
