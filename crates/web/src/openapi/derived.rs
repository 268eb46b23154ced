//! Schemas as utoipa makes them of the types that serialise. Compiled for tests alone: `schemas.json` holds them.

use crate::agent_api::{analyses, keywords, models, projects};
use analysis::findings::{
    ai_trends, ai_visibility, broken_links, cannibalization, competitors, content, content_changes,
    eeat, forecast, geo_score, rankings, schema, serp, sov, suggestions, vitals,
};
use serde_json::{Map, Value};
use utoipa::{PartialSchema, ToSchema};

/// An object with a line for each schema.
///
/// # Panics
/// Two types have the same name.
pub fn derived() -> String {
    let mut schemas = Map::new();
    add::<projects::ProjectView>(&mut schemas);
    add::<keywords::KeywordView>(&mut schemas);
    add::<keywords::AddedKeywordsView>(&mut schemas);
    add::<analyses::JobView>(&mut schemas);
    add::<analyses::QueueView>(&mut schemas);
    add::<models::ModelsView>(&mut schemas);
    add::<rankings::RankingRecord>(&mut schemas);
    add::<rankings::RankingsSummary>(&mut schemas);
    add::<serp::SerpRecord>(&mut schemas);
    add::<serp::SerpSummary>(&mut schemas);
    add::<sov::SovRecord>(&mut schemas);
    add::<sov::SovSummary>(&mut schemas);
    add::<forecast::ForecastRecord>(&mut schemas);
    add::<forecast::ForecastSummary>(&mut schemas);
    add::<competitors::CompetitorRecord>(&mut schemas);
    add::<competitors::CompetitorsSummary>(&mut schemas);
    add::<cannibalization::CannibalizationRecord>(&mut schemas);
    add::<cannibalization::CannibalizationSummary>(&mut schemas);
    add::<ai_visibility::AiVisibilityRecord>(&mut schemas);
    add::<ai_visibility::AiVisibilitySummary>(&mut schemas);
    add::<ai_trends::AiTrendRecord>(&mut schemas);
    add::<ai_trends::AiTrendsSummary>(&mut schemas);
    add::<suggestions::SuggestionRecord>(&mut schemas);
    add::<suggestions::SuggestionsSummary>(&mut schemas);
    add::<broken_links::BrokenLink>(&mut schemas);
    add::<broken_links::BrokenLinksSummary>(&mut schemas);
    add::<content::ContentRecord>(&mut schemas);
    add::<content::ContentSummary>(&mut schemas);
    add::<content_changes::ChangeRecord>(&mut schemas);
    add::<content_changes::ContentChangesSummary>(&mut schemas);
    add::<eeat::EeatRecord>(&mut schemas);
    add::<eeat::EeatSummary>(&mut schemas);
    add::<geo_score::GeoRecord>(&mut schemas);
    add::<geo_score::GeoSummary>(&mut schemas);
    add::<schema::SchemaRecord>(&mut schemas);
    add::<schema::SchemaSummary>(&mut schemas);
    add::<vitals::VitalsRecord>(&mut schemas);
    add::<vitals::VitalsSummary>(&mut schemas);
    let lines = schemas
        .iter()
        .map(|(name, schema)| format!("\"{name}\":{schema}"));
    format!("{{\n{}\n}}\n", lines.collect::<Vec<_>>().join(",\n"))
}

fn add<T: ToSchema + PartialSchema>(schemas: &mut Map<String, Value>) {
    let mut inner = Vec::new();
    T::schemas(&mut inner);
    inner.push((T::name().into_owned(), T::schema()));
    for (name, schema) in inner {
        let schema = serde_json::to_value(schema).unwrap_or(Value::Null);
        let other = schemas.insert(name.clone(), schema);
        assert!(
            other.is_none_or(|it| it == schemas[&name]),
            "two types are called {name}"
        );
    }
}
