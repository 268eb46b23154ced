//! Schemas of answers: of the types that serialise, or by hand where an answer is put together.

use crate::contract::id;
use analysis::findings::all_types;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
#[cfg(feature = "schemas")]
use {
    analysis::findings::{Schemas, add_schemas},
    utoipa::{PartialSchema, ToSchema},
};

/// Of the types that serialise, as `derived` makes them; a test compares the two.
pub const OF_TYPES: &str = include_str!("schemas.json");

const STATES: [&str; 5] = ["ready", "stale", "pending", "neverRun", "disabled"];

static ALL: LazyLock<Value> = LazyLock::new(|| {
    let mut schemas: Map<String, Value> =
        serde_json::from_str(OF_TYPES).expect("the file is an object");
    schemas.extend(put_together());
    schemas.into()
});

pub fn all() -> &'static Value {
    &ALL
}

fn list_of(item: &str) -> Value {
    json!({
        "type": "object",
        "required": ["items", "nextCursor", "limit"],
        "properties": {
            "items": { "type": "array", "items": { "$ref": format!("#/components/schemas/{item}") } },
            "nextCursor": { "type": ["string", "null"] },
            "limit": { "type": "integer", "minimum": 0 },
            "total": total_schema(),
            "totalIsLowerBound": { "type": "boolean", "description": "Whether there are more than were counted." },
        },
    })
}

fn total_schema() -> Value {
    json!({
        "type": "integer",
        "minimum": 0,
        "maximum": domain::page::MOST_COUNTED,
        "description": "Rows on all pages, with include=total.",
    })
}

fn put_together() -> Map<String, Value> {
    let mut schemas = Map::new();
    schemas.insert("ProjectList".into(), loose(list_of("Project")));
    let project = json!({ "$ref": "#/components/schemas/Project" });
    schemas.insert("ProjectOrFields".into(), whole_or_selected(&project));
    schemas.insert("KeywordList".into(), loose(list_of("Keyword")));
    schemas.insert("JobList".into(), job_list());
    schemas.insert("CreatedProject".into(), created_project());
    schemas.insert("AnalysisPlan".into(), plan());
    schemas.insert("Results".into(), results());
    schemas.insert("Health".into(), health());
    schemas.insert(
        "Documentation".into(),
        json!({ "type": "object", "description": "An OpenAPI 3.1 document, or the guide." }),
    );
    schemas.insert("Problem".into(), problem());
    schemas
}

/// With `fields=` items hold only what was selected.
fn loose(mut list: Value) -> Value {
    let whole = list["properties"]["items"]["items"].take();
    list["properties"]["items"]["items"] = whole_or_selected(&whole);
    list
}

fn whole_or_selected(whole: &Value) -> Value {
    json!({ "anyOf": [whole, { "type": "object", "description": "Only the members that fields= selects.", "required": ["id"], "properties": { "id": id() } }] })
}

fn job_list() -> Value {
    let mut list = list_of("Job");
    list["properties"]["queue"] = json!({ "$ref": "#/components/schemas/Queue" });
    list
}

fn created_project() -> Value {
    let warning = json!({ "type": "object", "required": ["code", "message"], "properties": { "code": { "type": "string" }, "message": { "type": "string" } } });
    let more = json!({
        "type": "object",
        "required": ["keywords", "warnings"],
        "properties": {
            "keywords": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/AddedKeywords" }] },
            "warnings": { "type": "array", "items": warning },
        },
    });
    json!({ "allOf": [{ "$ref": "#/components/schemas/Project" }, more] })
}

fn plan() -> Value {
    json!({
        "type": "object",
        "required": ["dryRun", "projectId", "type", "units", "unit", "expectedCost", "budget", "engines", "allowance", "results", "wouldExceed", "wouldJoinJobId"],
        "properties": {
            "dryRun": { "type": "boolean", "const": true },
            "projectId": id(),
            "type": { "type": "string" },
            "units": { "type": ["integer", "null"], "description": "Keywords, or pages; null when it cannot be known before." },
            "unit": { "type": "string" },
            "expectedCost": { "$ref": "#/components/schemas/Cost" },
            "budget": { "type": "object" },
            "engines": { "type": "array", "description": "The AI engines that are asked; empty for analyses that ask none.", "items": {
                "type": "object",
                "required": ["engine", "answers", "pricePerAnswer"],
                "properties": {
                    "engine": { "type": "string" },
                    "answers": { "type": "integer", "minimum": 0, "description": "At the most." },
                    "pricePerAnswer": { "type": "string", "description": "A decimal number of expectedCost's currency, at the most." },
                },
            } },
            "allowance": { "type": ["object", "null"], "description": "Room for AI-tracked keywords; null for analyses that measure none.", "required": ["aiTracked"], "properties": { "aiTracked": { "$ref": "#/components/schemas/Allowance" } } },
            "results": { "type": "array", "items": { "type": "string" } },
            "wouldExceed": { "type": ["string", "null"], "enum": ["monthlyBudget", "dailyBudget", "serverDailyBudget", null], "description": "The cap for which it would be refused as things stand." },
            "wouldJoinJobId": { "type": ["integer", "null"] },
        },
    })
}

fn results() -> Value {
    let time = json!({ "type": ["string", "null"], "format": "date-time" });
    let text = json!({ "type": ["string", "null"] });
    let schema = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let mut summaries = vec![json!({ "type": "null" })];
    summaries.extend(all_types().map(|it| schema(it.summary)));
    let mut records: Vec<Value> = all_types().map(|it| schema(it.record)).collect();
    records
        .push(json!({ "type": "object", "description": "Only the members that fields= selects." }));
    json!({
        "type": "object",
        "required": ["type", "projectId", "project"],
        "properties": {
            "type": { "type": "string" },
            "projectId": id(),
            "project": { "$ref": "#/components/schemas/Project" },
            "state": { "type": "string", "enum": STATES },
            "reason": text,
            "nextActions": { "type": "array", "items": { "type": "object" } },
            "generatedAt": time,
            "jobId": { "type": ["integer", "null"] },
            "measuredAt": time,
            "methodVersion": text,
            "provider": text,
            "provenance": { "type": ["string", "null"], "enum": ["measured", "imported", "estimated", "simulated", null] },
            "coverage": { "type": ["object", "null"] },
            "summary": { "anyOf": summaries },
            "items": { "type": "array", "items": { "anyOf": records } },
            "nextCursor": text,
            "limit": { "type": "integer", "minimum": 1 },
            "total": total_schema(),
            "totalIsLowerBound": { "type": "boolean", "description": "Whether there are more than were counted." },
            "warnings": { "type": "array", "items": { "type": "string" } },
            "results": { "type": "object", "description": "With type=all: each type with its state, summary and first records.", "additionalProperties": overview(&time) },
        },
    })
}

fn overview(time: &Value) -> Value {
    json!({
        "type": "object",
        "required": ["state", "reason", "nextActions", "measuredAt", "provenance", "summary", "items", "truncated", "next"],
        "properties": {
            "state": { "type": "string", "enum": STATES },
            "reason": { "type": ["string", "null"] },
            "nextActions": { "type": "array", "items": { "type": "object" } },
            "measuredAt": time,
            "provenance": { "type": ["string", "null"] },
            "summary": { "type": ["object", "null"] },
            "items": { "type": "array", "items": { "type": "object" }, "maxItems": 5 },
            "truncated": { "type": "boolean" },
            "next": { "type": "string", "description": "Where the records are." },
        },
    })
}

fn health() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["status", "version", "serverTime", "account", "token", "capabilities", "limits", "quotas", "providers"],
        "properties": {
            "status": { "type": "string" },
            "version": { "type": "string" },
            "serverTime": { "type": "string", "format": "date-time" },
            "account": { "type": "object", "required": ["id", "name"], "properties": { "id": id(), "name": text } },
            "token": {
                "type": "object",
                "required": ["id", "name", "scopes", "expiresAt"],
                "properties": { "id": id(), "name": text, "scopes": { "type": "array", "items": text }, "expiresAt": { "type": ["string", "null"], "format": "date-time" } },
            },
            "capabilities": { "type": "array", "items": {
                "type": "object",
                "required": ["name", "method", "path", "scope", "granted"],
                "properties": { "name": text, "method": text, "path": text, "scope": { "type": ["string", "null"] }, "granted": { "type": "boolean" } },
            } },
            "limits": { "type": "object" },
            "quotas": { "type": "array", "items": {
                "type": "object",
                "required": ["name", "limit", "used"],
                "properties": { "name": text, "limit": { "type": ["integer", "string", "null"] }, "used": { "type": ["integer", "string"] } },
            } },
            "providers": { "type": "array", "items": {
                "type": "object",
                "required": ["need", "label", "state"],
                "properties": { "need": text, "label": { "type": ["string", "null"] }, "state": { "type": "string", "enum": ["ready", "sandbox", "notConfigured", "failing"] }, "missing": { "type": "array", "description": "What more there could be, and how to provide it.", "items": text } },
            } },
        },
    })
}

fn field_error() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["in", "code", "message"],
        "properties": {
            "in": { "type": "string", "enum": ["body", "query", "header"] },
            "pointer": { "type": "string", "description": "Of a value in the body (RFC 6901)." },
            "name": { "type": "string", "description": "Of a parameter or a header." },
            "code": text,
            "message": text,
            "allowed": { "type": "array", "items": text },
            "didYouMean": text,
        },
    })
}

fn next_action() -> Value {
    json!({
        "type": "object",
        "required": ["method", "href", "description"],
        "properties": {
            "method": { "type": "string" },
            "href": { "type": "string" },
            "description": { "type": "string" },
            "body": { "type": "object" },
        },
    })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "RFC 9457. Further members depend on the code.",
        "required": ["type", "title", "status", "detail", "instance", "code", "requestId", "retryable"],
        "properties": {
            "type": { "type": "string", "format": "uri" },
            "title": { "type": "string" },
            "status": { "type": "integer", "minimum": 400, "maximum": 599 },
            "detail": { "type": "string" },
            "instance": { "type": "string" },
            "code": { "type": "string" },
            "requestId": { "type": "string" },
            "retryable": { "type": "boolean" },
            "hint": { "type": "string" },
            "errors": { "type": "array", "maxItems": 50, "items": field_error() },
            "moreErrors": { "type": "integer", "minimum": 1, "description": "How many more there are than errors holds." },
            "nextActions": { "type": "array", "description": "Requests that help, ready to send.", "items": next_action() },
        },
    })
}

#[cfg(feature = "schemas")]
pub(crate) fn add<T: ToSchema + PartialSchema>(schemas: &mut Map<String, Value>) {
    let mut added = Schemas::new();
    add_schemas::<T>(&mut added);
    add_all(added, schemas);
}

#[cfg(feature = "schemas")]
pub(crate) fn add_all(added: Schemas, schemas: &mut Map<String, Value>) {
    for (name, schema) in added {
        let schema = serde_json::to_value(schema).unwrap_or(Value::Null);
        let other = schemas.insert(name.clone(), schema);
        assert!(
            other.is_none_or(|it| it == schemas[&name]),
            "two types are called {name}"
        );
    }
}
