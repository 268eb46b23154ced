//! Countries and languages by English name.
//!
//! Names come from `keshvar` (ISO 3166-1 with everyday names in several languages) and `isolang`
//! (ISO 639); only [`COUNTRIES`] and [`LANGUAGES`] define which codes exist.

use crate::market::{COUNTRIES, Country, LANGUAGES, Language};
use isolang::Language as IsoLanguage;
use keshvar::CountryIterator;
use std::{collections::HashMap, hash::Hash, sync::LazyLock};
use thiserror::Error;

/// Maximum suggestions for an unknown name.
const MAX_PROPOSED: usize = 5;
/// Maximum bytes of a name that gets suggestions.
const MAX_TYPO_BYTES: usize = 80;
/// Longer ISO names that contain "of" are formal names.
const MAX_EVERYDAY_BYTES: usize = 20;

/// Everyday country names that the lists do not have first, or only with brackets and commas.
const EVERYDAY_COUNTRIES: [(&str, &str); 10] = [
    ("bn", "Brunei"),
    ("cc", "Cocos Islands"),
    ("cd", "Democratic Republic of the Congo"),
    ("la", "Laos"),
    ("ps", "Palestine"),
    ("ru", "Russia"),
    ("sy", "Syria"),
    ("va", "Vatican City"),
    ("vi", "United States Virgin Islands"),
    ("vn", "Vietnam"),
];
const EVERYDAY_LANGUAGES: [(&str, &str); 2] = [("el", "Greek"), ("ug", "Uyghur")];

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("is no {kind} that is known by its English name or its ISO code")]
pub struct UnknownName {
    /// `country` or `language`.
    pub kind: &'static str,
    /// Most similar known names, best first; empty only if the name is too long.
    pub nearest: Vec<String>,
}

struct Names<T> {
    kind: &'static str,
    shown: HashMap<T, String>,
    /// Folded names and codes.
    known: HashMap<String, T>,
}

static COUNTRY_NAMES: LazyLock<Names<Country>> = LazyLock::new(countries);
static LANGUAGE_NAMES: LazyLock<Names<Language>> = LazyLock::new(languages);

impl Country {
    /// Country by English name (`Germany`, `united kingdom`) or ISO 3166-1 code of two or three
    /// letters; everyday names in some other languages are accepted too.
    pub fn named(name: &str) -> Result<Self, UnknownName> {
        COUNTRY_NAMES.find(name)
    }

    pub fn name(self) -> &'static str {
        COUNTRY_NAMES.shown.get(&self).map_or("", String::as_str)
    }
}

impl Language {
    /// Language by English name (`German`) or ISO 639 code of two or three letters.
    pub fn named(name: &str) -> Result<Self, UnknownName> {
        LANGUAGE_NAMES.find(name)
    }

    pub fn name(self) -> &'static str {
        LANGUAGE_NAMES.shown.get(&self).map_or("", String::as_str)
    }
}

impl<T: Copy + Eq + Hash> Names<T> {
    fn new(kind: &'static str) -> Self {
        Self {
            kind,
            shown: HashMap::new(),
            known: HashMap::new(),
        }
    }

    fn find(&self, name: &str) -> Result<T, UnknownName> {
        let wanted = folded(name);
        self.known.get(&wanted).copied().ok_or_else(|| UnknownName {
            kind: self.kind,
            nearest: self.nearest(&wanted),
        })
    }

    fn nearest(&self, wanted: &str) -> Vec<String> {
        if wanted.len() > MAX_TYPO_BYTES {
            return Vec::new();
        }
        // Compare with every name of an entry, but suggest the entry once.
        let mut likeness: HashMap<&str, f64> = HashMap::new();
        for (name, entry) in &self.known {
            let shown = self.shown.get(entry).map_or("", String::as_str);
            let like = strsim::jaro_winkler(wanted, name);
            let best = likeness.entry(shown).or_insert(0.0);
            *best = best.max(like);
        }
        let mut ordered: Vec<(&str, f64)> = likeness.into_iter().collect();
        ordered.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        let nearest = ordered.into_iter().take(MAX_PROPOSED);
        nearest.map(|(name, _)| name.to_owned()).collect()
    }

    /// The first entry with a name keeps it.
    fn insert(&mut self, name: &str, entry: T) {
        let name = folded(name);
        if !name.is_empty() {
            self.known.entry(name).or_insert(entry);
        }
    }
}

/// Ignores case, diacritics and spaces: `Côte d'Ivoire` and `cote divoire` are one name.
fn folded(name: &str) -> String {
    use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
    let plain = name.nfkd().filter(|it| !is_combining_mark(*it));
    let letters = plain.filter(|it| it.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

fn everyday<'n>(table: &[(&str, &'n str)], code: &str) -> Option<&'n str> {
    let found = table.iter().find(|(known, _)| *known == code);
    found.map(|(_, name)| *name)
}

fn countries() -> Names<Country> {
    let mut names = Names::new("country");
    let all: Vec<(Country, keshvar::Country)> = CountryIterator::new()
        .filter_map(|it| Some((Country::parse(&it.alpha2().to_string()).ok()?, it)))
        .collect();
    for code in COUNTRIES.split(' ') {
        if let Ok(country) = Country::parse(code) {
            names.insert(code, country);
            names.shown.insert(country, code.to_uppercase());
        }
    }
    // Display names of all countries take precedence over other names.
    for (country, entry) in &all {
        let shown = shown_name(*country, entry);
        names.insert(&shown, *country);
        names.shown.insert(*country, shown);
    }
    for (country, entry) in &all {
        names.insert(&entry.alpha3().to_string(), *country);
        names.insert(entry.iso_short_name(), *country);
        names.insert(entry.iso_long_name(), *country);
    }
    for (country, entry) in &all {
        for name in entry.unofficial_name_list() {
            names.insert(name, *country);
        }
    }
    names
}

/// The ISO name if it is an everyday name, else the first other everyday name.
fn shown_name(country: Country, entry: &keshvar::Country) -> String {
    let iso = entry.iso_short_name();
    let is_everyday = |name: &&str| {
        let is_plain = !name.contains(['(', ')', '[', ']', ',']);
        is_plain && (name.len() <= MAX_EVERYDAY_BYTES || !name.contains(" of "))
    };
    if let Some(name) = everyday(&EVERYDAY_COUNTRIES, &country.to_string()) {
        return name.to_owned();
    }
    let others = entry.unofficial_name_list().iter().copied();
    let english = others.filter(|it| it.is_ascii());
    let mut candidates = std::iter::once(iso).chain(english);
    candidates.find(is_everyday).unwrap_or(iso).to_owned()
}

fn languages() -> Names<Language> {
    let mut names = Names::new("language");
    let all = LANGUAGES.split(' ').filter_map(|code| {
        Some((
            code,
            Language::parse(code).ok()?,
            IsoLanguage::from_639_1(code),
        ))
    });
    let all: Vec<_> = all.collect();
    for (code, language, entry) in &all {
        let iso = entry.map_or(*code, |it| it.to_name());
        let shown = everyday(&EVERYDAY_LANGUAGES, code)
            .unwrap_or(iso)
            .to_owned();
        names.insert(code, *language);
        names.insert(&shown, *language);
        names.shown.insert(*language, shown);
    }
    for (_, language, entry) in &all {
        if let Some(entry) = entry {
            names.insert(entry.to_639_3(), *language);
            names.insert(entry.to_name(), *language);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_are_known_by_everyday_names_and_codes() {
        for (name, code, shown) in [
            ("Germany", "de", "Germany"),
            ("deutschland", "de", "Germany"),
            ("DEU", "de", "Germany"),
            ("United Kingdom", "gb", "United Kingdom"),
            ("uk", "gb", "United Kingdom"),
            ("united states", "us", "United States"),
            ("USA", "us", "United States"),
            ("Czech Republic", "cz", "Czechia"),
            ("South Korea", "kr", "South Korea"),
            ("Viet Nam", "vn", "Vietnam"),
            ("russian federation", "ru", "Russia"),
            ("cote d'ivoire", "ci", "Côte d'Ivoire"),
            (" New  Zealand ", "nz", "New Zealand"),
            ("laos", "la", "Laos"),
            ("Taiwan", "tw", "Taiwan"),
        ] {
            let found = Country::named(name).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!((found.to_string().as_str(), found.name()), (code, shown));
        }
    }

    #[test]
    fn languages_are_known_by_names_and_codes() {
        for (name, code, shown) in [
            ("German", "de", "German"),
            ("ENGLISH", "en", "English"),
            ("ces", "cs", "Czech"),
            ("Greek", "el", "Greek"),
            ("modern greek", "el", "Greek"),
            ("Norwegian Bokmal", "nb", "Norwegian Bokmål"),
            ("zh", "zh", "Chinese"),
        ] {
            let found = Language::named(name).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!((found.to_string().as_str(), found.name()), (code, shown));
        }
    }

    #[test]
    fn every_country_and_language_is_found_by_its_own_name() {
        let mut names = Vec::new();
        for code in COUNTRIES.split(' ') {
            let country = Country::parse(code).unwrap();
            assert!(country.name().len() > 2, "{code}");
            assert!(!country.name().contains(['(', ',']), "{}", country.name());
            assert_eq!(Country::named(country.name()), Ok(country));
            assert_eq!(Country::named(code), Ok(country));
            names.push(country.name());
        }
        for code in LANGUAGES.split(' ') {
            let language = Language::parse(code).unwrap();
            assert_eq!(Language::named(code), Ok(language), "{code}");
            assert_ne!(language.name(), code);
            assert_eq!(Language::named(language.name()), Ok(language));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 249);
    }

    #[test]
    fn a_mistyped_name_gets_the_nearest_names() {
        let nearest = |name: &str| Country::named(name).unwrap_err().nearest;
        assert_eq!(nearest("Germny")[0], "Germany");
        assert_eq!(nearest("Untied Kingdom")[0], "United Kingdom");
        assert_eq!(nearest("Atlantis").len(), 5);
        assert_eq!(nearest(&"x".repeat(200)), Vec::<String>::new());
        let nearest = Language::named("Germn").unwrap_err().nearest;
        assert_eq!(nearest[0], "German");
        assert!(Language::named("").is_err() && Country::named("--").is_err());
    }
}
