//! Schemas of what tools take and give: those of the endpoints (OpenAPI), made small. Every byte of them
//! is read by a model before it does anything, so they say what helps to make a call; what is wrong
//! with a value is told by the endpoint, with the rule.

use super::tool::Tool;
use super::tools::{self, takes_null_as_left_out};
use crate::{contract, endpoint::Endpoint, route_table::id_argument};
use serde_json::{Map, Value, json};
use std::{collections::HashMap, sync::LazyLock};

/// Longest list of names that is told.
const MOST_NAMES: usize = 20;
/// What schemas say that a model needs to make a call.
const KEPT: [&str; 2] = ["type", "enum"];

pub fn input(tool: &Tool) -> Map<String, Value> {
    let own = (tool.own)();
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

/// The id in its path, its parameters and the members of its body; of an endpoint that tools call.
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
        // `include=total` counts rows, which agents do not need to go on.
        if !["include", "wait"].contains(&parameter.name) {
            found.insert(parameter.name.to_owned(), small(&parameter.schema, true));
        }
    }
    let body = endpoint.body.map(|body| body());
    let members = body.as_ref().and_then(|it| it["properties"].as_object());
    for (name, schema) in members.into_iter().flatten() {
        let is_free = takes_null_as_left_out(endpoint.verb);
        found.insert(name.clone(), small(schema, is_free));
    }
    found
}

/// What a model needs of a schema; without null where leaving out means the same.
fn small(schema: &Value, without_null: bool) -> Value {
    let mut kept = Map::new();
    for name in KEPT {
        if let Some(value) = schema.get(name) {
            kept.insert(name.to_owned(), value.clone());
        }
    }
    let names = kept.get("enum").and_then(Value::as_array);
    if names.is_some_and(|it| it.len() > MOST_NAMES) {
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
            leave_out_null(value);
        }
    }
    if kept.is_empty() {
        kept.insert("type".to_owned(), "string".into());
    }
    if let Some(items) = schema.get("items") {
        kept.insert("items".to_owned(), small(items, true));
    }
    if let Some(inner) = schema["properties"].as_object() {
        let inner = inner
            .iter()
            .map(|(name, it)| (name.clone(), small(it, true)));
        let inner: Map<String, Value> = inner.collect();
        // Members that are all alike are told once.
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

/// Of several types or names those that are not null; the one that is left stands alone.
fn leave_out_null(value: &mut Value) {
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

/// Members that lead on, typed as in the OpenAPI document. None is required: answers leave out null and empty ones.
pub fn output(tool: &Tool) -> Map<String, Value> {
    let schemas = contract::schemas();
    let mut properties = Map::new();
    for (name, told) in tool.answers {
        for member in *told {
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
    leave_out_null(&mut kind);
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
