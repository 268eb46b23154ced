//! Keywords that are a URL, or the name of the first result's site.

use crate::url_rules;

/// Shorter names are often common words.
const MIN_LETTERS: usize = 4;
/// Letters from which on one typo is allowed; from [`MIN_LETTERS_TWO_TYPOS`] on, two.
const MIN_LETTERS_ONE_TYPO: usize = 6;
const MIN_LETTERS_TWO_TYPOS: usize = 10;
/// Words allowed after a multi-word name, and in a keyword with a single-word name.
const MAX_WORDS_AFTER_NAME: usize = 2;
const MAX_WORDS_WITH_NAME: usize = 2;

/// First for many keywords, which are not navigational.
const UBIQUITOUS_SITES: [&str; 5] = [
    "wikipedia",
    "youtube",
    "dictionary",
    "thesaurus",
    "britannica",
];

/// The keyword is the site's name, possibly with typos, or begins with it.
pub(super) fn names_site(words: &[String], url: &str) -> bool {
    let Some(name) = name_of(url) else {
        return false;
    };
    let squeezed = words.concat();
    squeezed == name
        || is_typo(&squeezed, &name)
        || (words.len() <= MAX_WORDS_WITH_NAME && words.first() == Some(&name))
        || begins_with(words, &name)
}

/// The domain's first label, without hyphens.
fn name_of(url: &str) -> Option<String> {
    let domain = url_rules::domain_of_url(url)?;
    let label = domain.split('.').next()?.replace('-', "");
    let is_name = label.len() >= MIN_LETTERS && !UBIQUITOUS_SITES.contains(&label.as_str());
    is_name.then_some(label)
}

/// By optimal string alignment distance.
fn is_typo(squeezed: &str, name: &str) -> bool {
    let shorter = squeezed.chars().count().min(name.chars().count());
    let longer = squeezed.chars().count().max(name.chars().count());
    let allowed = match shorter {
        MIN_LETTERS_TWO_TYPOS.. => 2,
        _ if squeezed.chars().count() >= MIN_LETTERS_ONE_TYPO => 1,
        _ => 0,
    };
    allowed > 0 && longer - shorter <= allowed && strsim::osa_distance(squeezed, name) <= allowed
}

/// Two words or more, joined, with or without "and".
fn begins_with(words: &[String], name: &str) -> bool {
    (2..=words.len()).any(|count| {
        let joined = words[..count].concat();
        let bare: String = words[..count]
            .iter()
            .filter(|word| *word != "and")
            .map(String::as_str)
            .collect();
        words.len() - count <= MAX_WORDS_AFTER_NAME && (joined == name || bare == name)
    })
}

/// `http`, `www`, or a name with a common top-level domain.
pub(super) fn is_address(keyword: &str) -> bool {
    keyword.split_whitespace().any(|word| {
        let word = word.to_lowercase();
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        bare.starts_with("http:")
            || bare.starts_with("https:")
            || bare.starts_with("www.")
            || bare.starts_with("www,")
            || bare == "www"
            || is_domain(bare.split('/').next().unwrap_or(bare))
    })
}

fn is_domain(word: &str) -> bool {
    const ENDINGS: [&str; 20] = [
        "com", "org", "net", "gov", "edu", "io", "info", "biz", "mil", "tv", "eu", "uk", "de",
        "cz", "sk", "hu", "pl", "es", "fr", "it",
    ];
    word.rsplit_once('.').is_some_and(|(name, ending)| {
        let has_letter = name.chars().any(char::is_alphabetic);
        has_letter && name.len() >= 2 && ENDINGS.contains(&ending)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(keyword: &str, url: &str) -> bool {
        names_site(&super::super::words::folded_words(keyword), url)
    }

    #[test]
    fn site_names_match_with_typos_and_extra_words() {
        for (keyword, url) in [
            ("la fitness", "https://www.lafitness.com/Pages/x"),
            ("paycvor", "https://www.paycor.com/"),
            ("cariboo coffee", "https://shop.cariboucoffee.com/"),
            ("gooogle", "https://www.google.com/"),
            ("columbus zoo and aquarium ohio", "https://columbuszoo.org/"),
            ("dave and busters tulsa", "https://www.daveandbusters.com/"),
            ("netflix login", "https://www.netflix.com/"),
            ("Škoda auto", "https://www.skoda-auto.cz/"),
        ] {
            assert!(names(keyword, url), "{keyword}");
        }
        for (keyword, url) in [
            ("transformers", "https://en.wikipedia.org/wiki/Transformers"),
            (
                "history of the model t",
                "https://www.history.com/topics/model-t",
            ),
            ("hp ink", "https://www.hp.com/"),
            ("shoes", "https://www.shops.com/"),
            ("", "https://www.acme.com/"),
        ] {
            assert!(!names(keyword, url), "{keyword}");
        }
    }

    #[test]
    fn addresses_are_known_by_their_endings() {
        for keyword in [
            "turbotax.cp https://x",
            "netflix.com my account",
            "www acme",
            "deers.gov",
            "seznam.cz",
        ] {
            assert!(is_address(keyword), "{keyword}");
        }
        for keyword in ["node.js", "2.0 tdi", "c# .net", "a.b", "no. 5"] {
            assert!(!is_address(keyword), "{keyword}");
        }
    }
}
