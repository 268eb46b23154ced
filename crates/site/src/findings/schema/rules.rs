//! Google's requirements and recommendations, from the Search Central documentation of 2026-07-07. Rules that do not
//! fit a table are in `special`. A path with a dot is checked only if its parent exists: `author.name` needs `author`.
//! Text in place of an item (`"author": "Jo"`) counts as its name.

use super::{feature::Feature, vocabulary::type_named};
use crate::table::records;
use serde::Deserialize;
use serde::de::{IntoDeserializer, value};
use std::{collections::BTreeSet, sync::LazyLock};

type Paths = Vec<&'static str>;

#[derive(Debug, Default)]
pub struct Requirements {
    /// All of these are required.
    pub required: Paths,
    /// Of each of these lists, one is required.
    pub one_of: Vec<Paths>,
    /// All of these are recommended.
    pub recommended: Paths,
    pub recommended_one_of: Vec<Paths>,
}

#[derive(Debug)]
pub enum When {
    Always,
    HasAny(Paths),
    /// The value is false.
    IsFalse(&'static str),
}

#[derive(Debug)]
pub struct Rule {
    pub feature: Feature,
    /// Types, with all subtypes that have no own rules.
    pub types: Paths,
    pub when: When,
    pub requirements: Requirements,
}

/// Requirements for a nested item, such as an offer in a product.
#[derive(Debug)]
pub struct Part {
    /// Its features; empty means all.
    pub features: Vec<Feature>,
    /// The types of such items, with all subtypes.
    pub types: Paths,
    pub requirements: Requirements,
}

/// Rules for the type of an item; the nearest listed type decides.
pub static MAIN_RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| rules(include_str!("rules.tsv")));

/// Additional rules for properties of an item, for these types and all subtypes.
pub static ADDITIONAL_RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| rules(include_str!("rules_beside.tsv")));

/// The first match applies.
pub static PARTS: LazyLock<Vec<Part>> = LazyLock::new(|| {
    let parts = records(include_str!("parts.tsv"));
    parts
        .map(
            |[features, types, required, one_of, recommended, either]| Part {
                features: features.split_whitespace().map(feature).collect(),
                types: paths(types),
                requirements: Requirements {
                    required: paths(required),
                    one_of: choices(one_of),
                    recommended: paths(recommended),
                    recommended_one_of: choices(either),
                },
            },
        )
        .collect()
});

fn rules(table: &'static str) -> Vec<Rule> {
    records(table)
        .map(|[name, types, when, required, one_of, recommended]| Rule {
            feature: feature(name),
            types: paths(types),
            when: match when.split_once(' ') {
                None => When::Always,
                Some(("has", names)) => When::HasAny(names.split('|').collect()),
                Some(("false", name)) => When::IsFalse(name),
                Some(_) => unreachable!("{when} is no condition"),
            },
            requirements: Requirements {
                required: paths(required),
                one_of: choices(one_of),
                recommended: paths(recommended),
                ..Requirements::default()
            },
        })
        .collect()
}

fn feature(name: &str) -> Feature {
    let name: value::StrDeserializer<'_, value::Error> = name.into_deserializer();
    Feature::deserialize(name).expect("a feature")
}

fn paths(cell: &'static str) -> Paths {
    cell.split_whitespace().collect()
}

fn choices(cell: &'static str) -> Vec<Paths> {
    cell.split_whitespace()
        .map(|it| it.split('|').collect())
        .collect()
}

/// The rules of the nearest type with rules: the type itself, its supertypes, theirs.
pub fn main_rules(name: &str) -> Vec<&'static Rule> {
    let mut level = vec![name];
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while !level.is_empty() {
        let here = |rule: &&Rule| level.iter().any(|it| rule.types.contains(it));
        let rules: Vec<&Rule> = MAIN_RULES.iter().filter(here).collect();
        if !rules.is_empty() {
            return rules;
        }
        let above = level.iter().filter_map(|it| type_named(it));
        let above: Vec<&str> = above.flat_map(|it| it.supertypes.iter().copied()).collect();
        level = above.into_iter().filter(|it| seen.insert(it)).collect();
    }
    Vec::new()
}
