//! Schemas derived by utoipa. Compiled for tests only: `contract/schemas.json` is served.

use crate::agent_api::{analyses, keywords, models, projects};
use crate::contract::{DERIVED_SCHEMAS, add, add_all};
use analysis::findings::{Schemas, all_types};
use serde_json::{Map, Value};

/// An object with one schema per line.
///
/// # Panics
/// If two types have the same name.
pub fn derived() -> String {
    let mut schemas = Map::new();
    add::<projects::ProjectView>(&mut schemas);
    add::<keywords::KeywordView>(&mut schemas);
    add::<keywords::AddedKeywordsView>(&mut schemas);
    add::<analyses::JobView>(&mut schemas);
    add::<analyses::QueueView>(&mut schemas);
    add::<models::ModelsView>(&mut schemas);
    for of in all_types() {
        let mut added = Schemas::new();
        (of.schemas)(&mut added);
        add_all(added, &mut schemas);
    }
    // Keeps the order of the file, so that a new type moves no line.
    let known: Map<String, Value> = serde_json::from_str(DERIVED_SCHEMAS).unwrap_or_default();
    let place = |name: &str| known.keys().position(|it| it == name);
    let mut schemas: Vec<(String, Value)> = schemas.into_iter().collect();
    schemas.sort_by_key(|(name, _)| place(name).unwrap_or(known.len()));
    let lines = schemas
        .iter()
        .map(|(name, schema)| format!("\"{name}\":{schema}"));
    format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n"))
}
