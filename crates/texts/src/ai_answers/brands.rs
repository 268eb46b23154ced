//! Brand names to detect: the project's and its competitors', with all spellings.

use super::endings::{Form, SOFTENED};
use super::folded::fold;
use super::languages::Languages;
use super::{common_words, cues, endings};
use crate::url_rules::{self, OwnSites};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::{HashMap, HashSet};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrandSpec {
    pub name: String,
    /// Hosts of the brand; their subdomains belong to it.
    pub domains: Vec<String>,
    pub aliases: Vec<String>,
    /// Whether the name is also a common word; `None`: by the word lists.
    pub is_ambiguous: Option<bool>,
}

impl BrandSpec {
    pub fn named(name: &str, domain: &str) -> Self {
        Self {
            name: name.to_owned(),
            domains: vec![domain.to_owned()],
            ..Self::default()
        }
    }
}

/// Index of a brand in the book; the project is the first.
pub type BrandId = usize;

pub const OWN: BrandId = 0;

#[derive(Debug, Clone)]
pub struct BrandBook {
    brands: Vec<BrandSpec>,
    hosts: HashMap<String, BrandId>,
    own_sites: Option<OwnSites>,
    pub(super) automaton: Option<AhoCorasick>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) categories: Vec<String>,
    /// Spellings that two brands share; the first keeps it.
    conflicts: Vec<(String, BrandId)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub brand: BrandId,
    pub text: String,
    pub form: Form,
    pub case: Case,
    pub sense: Sense,
    /// Languages in which the pattern applies; `None`: all.
    pub only_in: Option<Languages>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Case {
    Any,
    AsIn(String),
    /// Each part begins with a capital.
    EachPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Sure,
    WordIn(Languages),
    /// A word in every language: short names, and names marked ambiguous.
    Unsure,
}

/// Longest ambiguous name, in letters.
const MAX_SHORT_NAME_LETTERS: usize = 3;
/// In bytes.
const MIN_JOINED_LETTERS: usize = 5;
/// A word is inflected only if it has more letters.
const MIN_STEM: usize = 3;

impl BrandBook {
    pub fn of(own: &BrandSpec, competitors: &[BrandSpec], categories: &[String]) -> Self {
        let brands: Vec<BrandSpec> = std::iter::once(own).chain(competitors).cloned().collect();
        let mut book = Self {
            hosts: HashMap::new(),
            own_sites: None,
            automaton: None,
            patterns: Vec::new(),
            categories: cues::categories(categories),
            conflicts: Vec::new(),
            brands: Vec::new(),
        };
        let mut whole: HashMap<String, BrandId> = HashMap::new();
        for (brand, spec) in brands.iter().enumerate() {
            for domain in &spec.domains {
                let host = bare_host(domain);
                book.hosts.entry(host).or_insert(brand);
            }
            for pattern in spellings(brand, spec) {
                let is_name = pattern.form == Form::Whole && pattern.only_in.is_none();
                if !is_name || *whole.entry(pattern.text.clone()).or_insert(brand) == brand {
                    book.patterns.push(pattern);
                } else {
                    book.conflicts.push((pattern.text, brand));
                }
            }
        }
        book.brands = brands;
        let texts = book.patterns.iter().map(|it| it.text.as_str());
        book.automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(texts)
            .ok();
        book
    }

    /// `sites`: the project's site where it differs from its domains, such as a path on a shared host.
    #[must_use]
    pub fn with_own_sites(mut self, sites: OwnSites) -> Self {
        for root in sites.roots() {
            self.hosts.entry(bare_host(root)).or_insert(OWN);
        }
        self.own_sites = Some(sites);
        self
    }

    /// Includes the project.
    pub const fn count(&self) -> usize {
        self.brands.len()
    }

    pub fn name(&self, brand: BrandId) -> &str {
        self.brands.get(brand).map_or("", |it| &it.name)
    }

    pub fn spelling_patterns(&self, brand: BrandId) -> impl Iterator<Item = &str> {
        let spec = self.brands.get(brand).into_iter();
        spec.flat_map(|it| {
            let others = it.aliases.iter().chain(&it.domains);
            std::iter::once(&it.name).chain(others).map(String::as_str)
        })
    }

    pub fn domain(&self, brand: BrandId) -> Option<&str> {
        let spec = self.brands.get(brand)?;
        spec.domains.first().map(String::as_str)
    }

    pub fn conflicts(&self) -> &[(String, BrandId)] {
        &self.conflicts
    }

    /// The brand with the domain that is the host, or a parent of it.
    pub fn owner_of_host(&self, host: &str) -> Option<BrandId> {
        let mut rest = host.trim_end_matches('.');
        loop {
            if let Some(owner) = self.hosts.get(rest) {
                return Some(*owner);
            }
            rest = rest.split_once('.')?.1;
        }
    }

    pub fn owner_of_url(&self, url: &str) -> Option<BrandId> {
        if let Some(sites) = &self.own_sites
            && sites.owns(url)
        {
            return Some(OWN);
        }
        let owner = self.owner_of_host(&url_rules::host_of_url(url)?)?;
        // On a shared host, only `own_sites` decides.
        let is_elsewhere = owner == OWN && self.own_sites.is_some();
        (!is_elsewhere).then_some(owner)
    }

    /// Without competitors, shares among brands mean nothing.
    pub fn has_competitors(&self) -> bool {
        self.brands.len() > 1
    }
}

fn bare_host(domain: &str) -> String {
    let lower = domain.trim().trim_end_matches('.').to_lowercase();
    let bare = lower.strip_prefix("www.").unwrap_or(&lower);
    bare.to_owned()
}

fn spellings(brand: BrandId, spec: &BrandSpec) -> Vec<Pattern> {
    let mut found = Spellings {
        brand,
        is_ambiguous: spec.is_ambiguous,
        patterns: Vec::new(),
        known: HashSet::new(),
    };
    for name in std::iter::once(&spec.name).chain(&spec.aliases) {
        found.add_name(name);
    }
    for domain in &spec.domains {
        found.add_label(&bare_host(domain));
    }
    for name in std::iter::once(&spec.name).chain(&spec.aliases) {
        found.add_camel_case(name);
    }
    found.patterns
}

struct Spellings {
    brand: BrandId,
    is_ambiguous: Option<bool>,
    patterns: Vec<Pattern>,
    known: HashSet<(String, Form, Option<Languages>)>,
}

impl Spellings {
    fn add_name(&mut self, name: &str) {
        let name = name.trim();
        let short = without_legal_form(name);
        for name in [name, short] {
            self.add_spelling(name);
            let umlauts = transliterated(name);
            if umlauts != name {
                self.add_spelling(&umlauts);
            }
        }
    }

    /// The label of the registrable domain, unless it consists of words only.
    fn add_label(&mut self, host: &str) {
        let domain = url_rules::domain_of_host(host);
        let Some(label) = domain.split('.').next() else {
            return;
        };
        let parts: Vec<&str> = label.split('-').collect();
        let is_words = parts.len() > 1
            && parts
                .iter()
                .all(|it| is_word(it) || it.len() < MAX_SHORT_NAME_LETTERS);
        if label.len() > MAX_SHORT_NAME_LETTERS && !is_words {
            self.add_spelling(label);
        }
    }

    fn add_spelling(&mut self, name: &str) {
        let folded = fold(name);
        if folded.chars().filter(|it| it.is_alphanumeric()).count() < 2 {
            return;
        }
        let parts: Vec<&str> = folded
            .split([' ', '-'])
            .filter(|it| it.chars().any(char::is_alphanumeric))
            .collect();
        let (case, sense) = self.case_and_sense(name, &parts);
        let mut texts = vec![folded.clone()];
        if parts.len() > 1 {
            let joined = parts.concat();
            if joined.len() >= MIN_JOINED_LETTERS {
                texts.push(joined);
            }
            texts.push(folded.replace(' ', "-"));
            texts.push(folded.replace('-', " "));
        }
        if folded.contains('\'') {
            texts.push(folded.replace('\'', ""));
        }
        if folded.contains(" & ") {
            for and in ["and", "und", "et", "y", "e", "en", "a", "i", "es", "+"] {
                texts.push(folded.replace(" & ", &format!(" {and} ")));
            }
            texts.push(folded.replace(" & ", "&"));
        }
        for text in texts {
            self.add(text, &case, sense);
        }
    }

    /// A camel-case name as separate words; each must start with a capital.
    fn add_camel_case(&mut self, name: &str) {
        let Some(apart) = split_camel_case(without_legal_form(name.trim())) else {
            return;
        };
        let parts = [fold(name)];
        let (_, sense) = self.case_and_sense(name, &[parts[0].as_str()]);
        self.add(fold(&apart), &Case::EachPart, sense);
        self.add(fold(&apart).replace(' ', "-"), &Case::EachPart, sense);
    }

    fn case_and_sense(&self, name: &str, parts: &[&str]) -> (Case, Sense) {
        let as_written = || Case::AsIn(name.to_owned());
        let letters = parts.concat();
        let is_capital = !name.chars().any(char::is_lowercase);
        if self.is_ambiguous == Some(true) {
            return (as_written(), Sense::Unsure);
        }
        if letters.chars().count() <= MAX_SHORT_NAME_LETTERS {
            let is_sure = self.is_ambiguous == Some(false)
                || (is_capital
                    && letters.chars().count() == MAX_SHORT_NAME_LETTERS
                    && !common_words::is_abbreviation(&letters));
            let sense = if is_sure { Sense::Sure } else { Sense::Unsure };
            return (as_written(), sense);
        }
        if self.is_ambiguous == Some(false) {
            return (Case::Any, Sense::Sure);
        }
        match parts {
            [one] => {
                let languages = common_words::languages_of_word(one);
                if languages == Languages::default() {
                    (Case::Any, Sense::Sure)
                } else {
                    (as_written(), Sense::WordIn(languages))
                }
            }
            // Common words that form a name: "Best Buy", not "the best buy".
            several if several.iter().all(|it| is_word(it)) => (as_written(), Sense::Sure),
            _ => (Case::Any, Sense::Sure),
        }
    }

    fn add(&mut self, text: String, case: &Case, sense: Sense) {
        if let Some((first, rest)) = text.split_once([' ', '-'])
            && first.chars().count() > MIN_STEM
        {
            let between = &text[first.len()..text.len() - rest.len()];
            for (languages, inflected) in endings::inflections(first) {
                let text = format!("{inflected}{between}{rest}");
                self.push(text, Form::Whole, case, sense, Some(languages));
            }
        }
        let last = text.split([' ', '-']).next_back().unwrap_or(&text);
        let (length, vowel) = (last.chars().count(), text.chars().next_back());
        if length > MIN_STEM
            && let Some(vowel @ ('a' | 'o' | 'e')) = vowel
        {
            let stem = text[..text.len() - 1].to_owned();
            self.push(stem, Form::WithoutVowel(vowel), case, sense, None);
        }
        if length > MIN_STEM {
            for (language, end, instead, ending) in SOFTENED {
                if let Some(stem) = text.strip_suffix(end) {
                    let form = Form::Softened(language, ending);
                    self.push(format!("{stem}{instead}"), form, case, sense, None);
                }
            }
        }
        self.push(text, Form::Whole, case, sense, None);
    }

    fn push(
        &mut self,
        text: String,
        form: Form,
        case: &Case,
        sense: Sense,
        only_in: Option<Languages>,
    ) {
        let is_known = self.known.contains(&(text.clone(), form, None))
            || !self.known.insert((text.clone(), form, only_in));
        if !is_known && !text.is_empty() {
            self.patterns.push(Pattern {
                brand: self.brand,
                text,
                form,
                case: case.clone(),
                sense,
                only_in,
            });
        }
    }
}

fn is_word(part: &str) -> bool {
    common_words::languages_of_word(part) != Languages::default()
        || matches!(part, "the" | "best" | "buy" | "my" | "and")
}

/// Legal forms at the end of a name, folded and without full stops.
const LEGAL_FORMS: [&str; 32] = [
    "gmbh",
    "ag",
    "kg",
    "ohg",
    "ug",
    "se",
    "eg",
    "ltd",
    "limited",
    "inc",
    "llc",
    "llp",
    "plc",
    "corp",
    "corporation",
    "co",
    "sa",
    "sas",
    "sarl",
    "srl",
    "spa",
    "sl",
    "bv",
    "nv",
    "sro",
    "as",
    "kft",
    "zrt",
    "nyrt",
    "bt",
    "spzoo",
    "oy",
];

/// The name without its legal form, unless nothing else would be left.
fn without_legal_form(name: &str) -> &str {
    let mut rest = name.trim_end_matches([' ', ',']);
    // "s. r. o." and "sp. z o.o." are several words.
    for words in (1..=3).rev() {
        let starts = rest
            .char_indices()
            .filter(|(_, it)| *it == ' ')
            .map(|it| it.0);
        let starts: Vec<usize> = starts.collect();
        let Some(at) = starts.len().checked_sub(words).map(|it| starts[it]) else {
            continue;
        };
        let tail: String = fold(&rest[at..])
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        if LEGAL_FORMS.contains(&tail.as_str()) {
            rest = rest[..at].trim_end_matches([' ', ',', '&']);
            break;
        }
    }
    if rest.is_empty() { name } else { rest }
}

/// German umlauts as `ae`, `oe`, `ue`, `ss`.
fn transliterated(name: &str) -> String {
    let mut written = String::with_capacity(name.len() + 2);
    for letter in name.chars() {
        match letter {
            'ä' => written.push_str("ae"),
            'ö' => written.push_str("oe"),
            'ü' => written.push_str("ue"),
            'Ä' => written.push_str("Ae"),
            'Ö' => written.push_str("Oe"),
            'Ü' => written.push_str("Ue"),
            other => written.push(other),
        }
    }
    written
}

/// `BrightBasket` as `Bright Basket`; `None` without an inner capital.
fn split_camel_case(name: &str) -> Option<String> {
    let mut apart = String::with_capacity(name.len() + 2);
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            apart.push(' ');
        }
        apart.push(letter);
        before = letter;
    }
    let begins_large = name.chars().next().is_some_and(char::is_uppercase);
    (apart.len() > name.len() && begins_large).then_some(apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_forms_are_removed_from_names() {
        for (name, short) in [
            ("Nordika GmbH", "Nordika"),
            ("Nordika, s.r.o.", "Nordika"),
            ("Nordika s. r. o.", "Nordika"),
            ("Meble Nordika sp. z o.o.", "Meble Nordika"),
            ("Kappel GmbH & Co. KG", "Kappel GmbH & Co."),
            ("Inc", "Inc"),
        ] {
            assert_eq!(without_legal_form(name), short);
        }
    }

    #[test]
    fn hosts_below_a_domain_belong_to_its_brand() {
        let book = BrandBook::of(
            &BrandSpec::named("Acme", "www.acme.co.uk"),
            &[BrandSpec::named("Acme Pro", "pro.acme.co.uk")],
            &[],
        );
        assert_eq!(book.owner_of_host("shop.acme.co.uk"), Some(OWN));
        assert_eq!(book.owner_of_host("x.pro.acme.co.uk"), Some(1));
        assert_eq!(book.owner_of_host("notacme.co.uk"), None);
        assert_eq!(book.owner_of_url("https://www.acme.co.uk/a?b"), Some(OWN));
    }

    #[test]
    fn only_the_own_path_of_a_shared_host_is_own() {
        let book =
            BrandBook::of(&BrandSpec::named("Acme", "example.org"), &[], &[]).with_own_sites(
                OwnSites::of(crate::url_rules::SiteScope::below("example.org", "/acme")),
            );
        assert_eq!(book.owner_of_url("https://example.org/acme/x"), Some(OWN));
        assert_eq!(book.owner_of_url("https://example.org/other"), None);
    }

    #[test]
    fn a_spelling_of_two_brands_stays_with_the_first() {
        let book = BrandBook::of(
            &BrandSpec::named("Acme", "acme.com"),
            &[BrandSpec::named("ACME", "acme.org")],
            &[],
        );
        assert!(
            book.conflicts()
                .iter()
                .any(|it| *it == ("acme".to_owned(), 1))
        );
    }

    #[test]
    fn common_words_match_only_as_written() {
        let patterns = |name: &str| {
            spellings(
                0,
                &BrandSpec {
                    name: name.to_owned(),
                    ..BrandSpec::default()
                },
            )
        };
        assert!(matches!(patterns("Lantern")[0].sense, Sense::WordIn(_)));
        assert_eq!(patterns("TRX")[0].sense, Sense::Sure);
        assert_eq!(patterns("HP")[0].sense, Sense::Unsure);
        assert_eq!(patterns("SEO")[0].sense, Sense::Unsure);
        assert!(matches!(patterns("Best Home")[0].case, Case::AsIn(_)));
        assert!(
            patterns("BrightBasket")
                .iter()
                .any(|it| it.text == "bright basket" && it.case == Case::EachPart)
        );
    }
}
