//! Schemas of tool arguments and results: those of the endpoints (OpenAPI), reduced. A model reads every byte, so they
//! contain only what helps to make a call; the endpoint explains wrong values.

use super::tool::Tool;
use super::tools::{self, treats_null_as_absent};
use crate::{contract, endpoint::Endpoint, route_table::id_argument};
use serde_json::{Map, Value, json};
use std::{collections::HashMap, sync::LazyLock};

/// Longer enumerations are omitted.
const MAX_NAMES: usize = 20;
/// JSON Schema keywords that a model needs.
const KEPT_KEYWORDS: [&str; 2] = ["type", "enum"];

pub fn input(tool: &Tool) -> Map<String, Value> {
    let own = (tool.own_arguments)();
    let mut properties = Map::new();
    for endpoint in tool.endpoints() {
        for (name, schema) in arguments(endpoint) {
            let schema = own.get(name).unwrap_or(schema);
            properties.entry(name).or_insert_with(|| schema.clone());
        }
    }
    for (name, schema) in own {
        properties.entry(name).or_insert(schema);
    }
    object(json!({
        "type": "object",
        "properties": properties,
        "required": tool.required,
        "additionalProperties": false,
    }))
}

/// Path id, parameters and body members of an endpoint that tools call.
pub fn arguments(endpoint: &Endpoint) -> &'static Map<String, Value> {
    static ALL: LazyLock<HashMap<&str, Map<String, Value>>> = LazyLock::new(|| {
        let all = tools::all().iter().flat_map(Tool::endpoints);
        all.map(|it| (it.operation, arguments_of(it))).collect()
    });
    &ALL[endpoint.operation]
}

fn arguments_of(endpoint: &Endpoint) -> Map<String, Value> {
    let mut found = Map::new();
    if endpoint.path.contains("{id}") {
        found.insert(
            id_argument(endpoint.path).to_owned(),
            json!({ "type": "integer" }),
        );
    }
    for parameter in (endpoint.parameters)() {
        // Agents do not need `include=total` for paging.
        if !["include", "wait"].contains(&parameter.name) {
            found.insert(
                parameter.name.to_owned(),
                compact_schema(&parameter.schema, true),
            );
        }
    }
    let body = endpoint.body.map(|body| body());
    let members = body.as_ref().and_then(|it| it["properties"].as_object());
    for (name, schema) in members.into_iter().flatten() {
        let is_free = treats_null_as_absent(endpoint.verb);
        found.insert(name.clone(), compact_schema(schema, is_free));
    }
    found
}

/// What a model needs of a schema; without null where absence means the same.
fn compact_schema(schema: &Value, without_null: bool) -> Value {
    let mut kept = Map::new();
    for name in KEPT_KEYWORDS {
        if let Some(value) = schema.get(name) {
            kept.insert(name.to_owned(), value.clone());
        }
    }
    let names = kept.get("enum").and_then(Value::as_array);
    if names.is_some_and(|it| it.len() > MAX_NAMES) {
        kept.shift_remove("enum");
        kept.extend(
            schema
                .get("description")
                .map(|it| ("description".to_owned(), it.clone())),
        );
    }
    if kept.contains_key("enum") {
        kept.shift_remove("type");
    }
    if without_null {
        for value in kept.values_mut() {
            strip_null(value);
        }
    }
    if kept.is_empty() {
        kept.insert("type".to_owned(), "string".into());
    }
    if let Some(items) = schema.get("items") {
        kept.insert("items".to_owned(), compact_schema(items, true));
    }
    if let Some(inner) = schema["properties"].as_object() {
        let inner = inner
            .iter()
            .map(|(name, it)| (name.clone(), compact_schema(it, true)));
        let inner: Map<String, Value> = inner.collect();
        // Equal member schemas are listed once.
        let mut kinds: Vec<&Value> = inner.values().collect();
        kinds.dedup();
        if let ([kind], true) = (kinds.as_slice(), inner.len() > 5) {
            kept.insert("additionalProperties".to_owned(), (*kind).clone());
        } else {
            kept.insert("properties".to_owned(), inner.into());
        }
    }
    kept.into()
}

/// Removes null from types or values; a single type becomes a string.
fn strip_null(value: &mut Value) {
    let Value::Array(all) = value else { return };
    all.retain(|it| !it.is_null() && it != "null");
    let is_one_type = all.len() == 1
        && ["string", "object", "array", "boolean", "integer", "number"]
            .iter()
            .any(|it| all[0] == *it);
    if is_one_type {
        *value = all.remove(0);
    }
}

/// Members for follow-up calls, typed as in OpenAPI. None is required, since null and empty ones are omitted.
pub fn output(tool: &Tool) -> Map<String, Value> {
    let schemas = contract::schemas();
    let mut properties = Map::new();
    for (name, members) in tool.responses {
        for member in *members {
            let schema = &schemas[*name]["properties"][*member];
            properties
                .entry((*member).to_owned())
                .or_insert_with(|| outline(schema));
        }
    }
    object(json!({ "type": "object", "properties": properties }))
}

fn outline(schema: &Value) -> Value {
    let mut kind = schema["type"].clone();
    strip_null(&mut kind);
    match kind.as_str() {
        Some(kind) => json!({ "type": kind }),
        None => json!({ "type": "object" }),
    }
}

pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
