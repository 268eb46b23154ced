//! schema.org 30.0, from a table that `tests/oracles/schema_org_vocabulary.py` writes.

use std::{collections::HashMap, sync::LazyLock};

static TABLE: &str = include_str!("schema_org_30.tsv");

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::read(TABLE));

/// More supertypes than any type has; ends a cycle.
const MAX_SUPERTYPES: usize = 64;

#[derive(Debug, Default)]
pub struct Type {
    pub supertypes: Vec<&'static str>,
    pub superseded_by: Vec<&'static str>,
}

#[derive(Debug, Default)]
pub struct PropertyTerm {
    pub domains: Vec<&'static str>,
    pub ranges: Vec<&'static str>,
    pub superseded_by: Vec<&'static str>,
}

#[derive(Debug, Default)]
pub struct Member {
    pub enumerations: Vec<&'static str>,
    pub superseded_by: Vec<&'static str>,
}

#[derive(Default)]
struct Vocabulary {
    types: HashMap<&'static str, Type>,
    properties: HashMap<&'static str, PropertyTerm>,
    members: HashMap<&'static str, Member>,
    /// Names by their lower-case form, to find misspelled ones.
    spellings: HashMap<String, &'static str>,
}

impl Vocabulary {
    fn read(table: &'static str) -> Self {
        let mut all = Self::default();
        for line in table.lines() {
            let mut fields = line.split('\t');
            let (kind, name) = (fields.next(), fields.next().unwrap_or_default());
            let mut list = || -> Vec<&'static str> {
                let field = fields.next().unwrap_or_default();
                field.split(',').filter(|it| !it.is_empty()).collect()
            };
            all.spellings
                .insert(spelling(kind == Some("p"), name), name);
            match kind {
                Some("t") => {
                    let (supertypes, superseded_by) = (list(), list());
                    let term = Type {
                        supertypes,
                        superseded_by,
                    };
                    all.types.insert(name, term);
                }
                Some("p") => {
                    let (domains, ranges, superseded_by) = (list(), list(), list());
                    let term = PropertyTerm {
                        domains,
                        ranges,
                        superseded_by,
                    };
                    all.properties.insert(name, term);
                }
                _ => {
                    let (enumerations, superseded_by) = (list(), list());
                    let term = Member {
                        enumerations,
                        superseded_by,
                    };
                    all.members.insert(name, term);
                }
            }
        }
        all
    }
}

/// Separates properties and types that differ only in case (`duration`, `Duration`).
fn spelling(property: bool, name: &str) -> String {
    let kind = if property { "p:" } else { "t:" };
    kind.to_owned() + &name.to_ascii_lowercase()
}

pub fn type_named(name: &str) -> Option<&'static Type> {
    VOCABULARY.types.get(name)
}

/// A property by its name, without the suffixes `-input` and `-output` of actions.
pub fn property_named(name: &str) -> Option<&'static PropertyTerm> {
    let plain = name
        .strip_suffix("-input")
        .or_else(|| name.strip_suffix("-output"))
        .unwrap_or(name);
    VOCABULARY.properties.get(plain)
}

pub fn member_named(name: &str) -> Option<&'static Member> {
    VOCABULARY.members.get(name)
}

pub fn type_spelled(name: &str) -> Option<&'static str> {
    VOCABULARY.spellings.get(&spelling(false, name)).copied()
}

pub fn property_spelled(name: &str) -> Option<&'static str> {
    VOCABULARY.spellings.get(&spelling(true, name)).copied()
}

pub fn is_a(name: &str, ancestor: &str) -> bool {
    let mut open = vec![name];
    let mut seen = 0;
    while let Some(it) = open.pop() {
        if it == ancestor {
            return true;
        }
        seen += 1;
        if seen > MAX_SUPERTYPES {
            return false;
        }
        if let Some(known) = type_named(it) {
            open.extend(&known.supertypes);
        }
    }
    false
}

/// Whether a property accepts URLs and no other text (`url`, `image`, `sameAs`).
pub fn takes_addresses_only(property: &str) -> bool {
    property_named(property).is_some_and(|it| {
        it.ranges.contains(&"URL")
            && it
                .ranges
                .iter()
                .all(|range| *range == "URL" || !is_a(range, "DataType"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_schema_org_30() {
        // Counts of terms in schemaorg-all-https.jsonld 30.0, by tests/oracles/schema_org_vocabulary.py.
        assert_eq!(VOCABULARY.types.len(), 937);
        assert_eq!(VOCABULARY.properties.len(), 1_529);
        assert_eq!(VOCABULARY.members.len(), 537);
    }

    #[test]
    fn every_referenced_term_exists() {
        for (name, it) in &VOCABULARY.types {
            assert!(
                it.supertypes.iter().all(|it| type_named(it).is_some()),
                "{name}"
            );
            assert!(is_a(name, "Thing") || is_a(name, "DataType"), "{name}");
        }
        for (name, it) in &VOCABULARY.properties {
            let types = it.domains.iter().chain(&it.ranges);
            assert!(types.clone().all(|it| type_named(it).is_some()), "{name}");
            let newer = it.superseded_by.iter();
            assert!(
                newer.clone().all(|it| property_named(it).is_some()),
                "{name}"
            );
        }
        for (name, it) in &VOCABULARY.members {
            let types = it.enumerations.iter();
            assert!(types.clone().all(|it| type_named(it).is_some()), "{name}");
        }
    }

    #[test]
    fn subtypes_include_their_ancestors() {
        assert!(is_a("NewsArticle", "CreativeWork") && is_a("NewsArticle", "Thing"));
        assert!(is_a("Restaurant", "LocalBusiness") && is_a("Restaurant", "Place"));
        assert!(!is_a("Article", "NewsArticle") && !is_a("Nonsense", "Thing"));
    }

    #[test]
    fn url_only_properties_are_detected() {
        for name in ["url", "image", "sameAs", "contentUrl", "logo"] {
            assert!(takes_addresses_only(name), "{name}");
        }
        for name in ["name", "identifier", "price", "brand", "nonsense"] {
            assert!(!takes_addresses_only(name), "{name}");
        }
    }

    #[test]
    fn spelling_and_suffixes_are_tolerated() {
        assert_eq!(type_spelled("faqpage"), Some("FAQPage"));
        assert_eq!(property_spelled("datepublished"), Some("datePublished"));
        assert!(
            property_named("query-input").is_some() && property_named("nonsense-input").is_none()
        );
        assert_eq!(
            member_named("InStock").unwrap().enumerations,
            ["ItemAvailability"]
        );
    }
}
