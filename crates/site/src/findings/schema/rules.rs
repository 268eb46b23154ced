//! What Google requires and recommends, taken from the Search Central documentation of 2026-07-07. What a table cannot
//! say is in `special`. A path with a dot is looked at only where its beginning is there: `author.name` says nothing of
//! a page without `author`. Text where a thing could be (`"author": "Jo"`) counts as its name.

use super::{feature::Feature, vocabulary::type_named};
use crate::table::records;
use serde::Deserialize;
use serde::de::{IntoDeserializer, value};
use std::{collections::BTreeSet, sync::LazyLock};

type Paths = Vec<&'static str>;

#[derive(Debug, Default)]
pub struct Asked {
    /// Without these it is not shown.
    pub required: Paths,
    /// Of each of these lists, one is required.
    pub one_of: Vec<Paths>,
    /// With these it is shown better.
    pub recommended: Paths,
    pub recommended_one_of: Vec<Paths>,
}

#[derive(Debug)]
pub enum When {
    Always,
    HasAny(Paths),
    /// For those that say that this is false.
    IsFalse(&'static str),
}

#[derive(Debug)]
pub struct Rule {
    pub feature: Feature,
    /// Types that it is for, with all below them unless those have rules of their own.
    pub types: Paths,
    pub when: When,
    pub asked: Asked,
}

/// What is asked of an item that another holds, as an offer in a product.
#[derive(Debug)]
pub struct Part {
    /// The features that it is for; none: all.
    pub features: Vec<Feature>,
    /// The types of such items, with all below them.
    pub types: Paths,
    pub asked: Asked,
}

/// Rules for what an item is; the nearest of its types that is listed decides.
pub static MAIN: LazyLock<Vec<Rule>> = LazyLock::new(|| rules(include_str!("rules.tsv")));

/// Rules for what an item has; they hold beside the main ones, for these types and all below them.
pub static BESIDE: LazyLock<Vec<Rule>> = LazyLock::new(|| rules(include_str!("rules_beside.tsv")));

/// The first that fits an item is the one that holds.
pub static PARTS: LazyLock<Vec<Part>> = LazyLock::new(|| {
    let parts = records(include_str!("parts.tsv"));
    parts
        .map(
            |[features, types, required, one_of, recommended, either]| Part {
                features: features.split_whitespace().map(feature).collect(),
                types: paths(types),
                asked: Asked {
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
            asked: Asked {
                required: paths(required),
                one_of: choices(one_of),
                recommended: paths(recommended),
                ..Asked::default()
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

/// The rules of the nearest type that has rules: the type itself, its supertypes, theirs.
pub fn main_rules(name: &str) -> Vec<&'static Rule> {
    let mut level = vec![name];
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while !level.is_empty() {
        let here = |rule: &&Rule| level.iter().any(|it| rule.types.contains(it));
        let rules: Vec<&Rule> = MAIN.iter().filter(here).collect();
        if !rules.is_empty() {
            return rules;
        }
        let above = level.iter().filter_map(|it| type_named(it));
        let above: Vec<&str> = above.flat_map(|it| it.supertypes.iter().copied()).collect();
        level = above.into_iter().filter(|it| seen.insert(it)).collect();
    }
    Vec::new()
}
