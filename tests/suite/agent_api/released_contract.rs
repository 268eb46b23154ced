//! The contract may only grow, until the sunset of what was deprecated.
//!
//! `tests/openapi/released.contract` lists the promises of the last release, one per line. New ones may be added; none
//! may be missing, and nothing new may be required. The file is replaced with each release.

use serde_json::Value;
use std::{collections::BTreeSet, path::Path};

const RELEASED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/released.contract");

/// New lines of this kind break callers, so they are not allowed.
const REQUIREMENT: &str = "requires ";

#[test]
fn the_last_released_contract_still_holds() {
    let now = promises(&web::openapi::document("https://seo.example"));
    let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("released.contract");
    let text: Vec<&str> = now.iter().map(String::as_str).collect();
    std::fs::write(&fresh, text.join("\n") + "\n").unwrap();
    let released = std::fs::read_to_string(RELEASED).unwrap_or_default();
    let released: BTreeSet<String> = released.lines().map(str::to_owned).collect();
    assert!(released.len() > 400, "{} promises", released.len());
    let broken = broken(&released, &now);
    assert!(
        broken.is_empty(),
        "callers of the last release would break:\n{}\nOnly when a version is released: cp {} {RELEASED}",
        broken.join("\n"),
        fresh.display()
    );
}

/// Promises that are gone, and requirements that are new.
fn broken(released: &BTreeSet<String>, now: &BTreeSet<String>) -> Vec<String> {
    let missing = released.difference(now);
    let missing = missing.filter(|it| !it.starts_with(REQUIREMENT));
    let required = now.difference(released);
    let required = required.filter(|it| it.starts_with(REQUIREMENT));
    missing
        .map(|it| format!("no more: {it}"))
        .chain(required.map(|it| format!("new: {it}")))
        .collect()
}

/// All promises of the document, one per line.
fn promises(document: &Value) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (path, operations) in members(&document["paths"]) {
        for (verb, operation) in members(operations) {
            let Some(name) = operation["operationId"].as_str() else {
                continue;
            };
            lines.insert(format!("serves {verb} {path} as {name}"));
            let scope = operation["x-required-scope"].as_str().unwrap_or("none");
            lines.insert(format!("lets in {name} with scope {scope}"));
            parameters(name, operation, &mut lines);
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            accepted(&format!("{name} body"), body, &mut lines);
            for (status, response) in members(&operation["responses"]) {
                for (media, content) in members(&response["content"]) {
                    let schema = content["schema"]["$ref"].as_str().unwrap_or_default();
                    lines.insert(format!("answers {name} {status} {media} {schema}"));
                }
            }
        }
    }
    for (name, schema) in members(&document["components"]["schemas"]) {
        answered(name, schema, &mut lines);
    }
    for (tool, pairs) in members(&document["x-mcp-tools"]) {
        lines.insert(format!("pairs {tool} with {pairs}"));
    }
    lines
}

fn parameters(name: &str, operation: &Value, lines: &mut BTreeSet<String>) {
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let of = format!(
            "{name} {} {}",
            parameter["in"].as_str().unwrap_or_default(),
            parameter["name"].as_str().unwrap_or_default()
        );
        if parameter["required"] == true {
            lines.insert(format!("{REQUIREMENT}{of}"));
        }
        accepted(&of, &parameter["schema"], lines);
    }
}

/// Request members, their types and enumerations.
fn accepted(place: &str, schema: &Value, lines: &mut BTreeSet<String>) {
    if let Some(kind) = kind(schema) {
        lines.insert(format!("accepts {place} {kind}"));
    }
    for value in schema["enum"].as_array().into_iter().flatten() {
        lines.insert(format!("accepts {place} = {value}"));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        lines.insert(format!("{REQUIREMENT}{place} {name}"));
    }
    for (name, member) in members(&schema["properties"]) {
        accepted(&format!("{place}.{name}"), member, lines);
    }
    accepted_inside(place, schema, lines);
}

fn accepted_inside(place: &str, schema: &Value, lines: &mut BTreeSet<String>) {
    if schema["items"].is_object() {
        accepted(&format!("{place}[]"), &schema["items"], lines);
    }
    for one_of in ["oneOf", "anyOf"] {
        for choice in schema[one_of].as_array().into_iter().flatten() {
            accepted(place, choice, lines);
        }
    }
}

/// Response members and their types. Enumerations may grow, so they are not promised.
fn answered(place: &str, schema: &Value, lines: &mut BTreeSet<String>) {
    if let Some(kind) = kind(schema) {
        lines.insert(format!("holds {place} {kind}"));
    }
    let required: Vec<&Value> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    for (name, member) in members(&schema["properties"]) {
        let always = required.iter().any(|it| *it == name);
        if always {
            lines.insert(format!("holds {place}.{name} always"));
        }
        answered(&format!("{place}.{name}"), member, lines);
    }
    if schema["items"].is_object() {
        answered(&format!("{place}[]"), &schema["items"], lines);
    }
}

/// The type, or the referenced schema.
fn kind(schema: &Value) -> Option<String> {
    let reference = schema["$ref"].as_str();
    let written = schema.get("type").map(ToString::to_string);
    reference.map(str::to_owned).or(written)
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

#[cfg(test)]
mod breaking_change_tests {
    use super::*;

    type Break = fn(&mut Value);

    /// What a change of the document breaks.
    fn after(change: impl Fn(&mut Value)) -> Vec<String> {
        let released = web::openapi::document("https://seo.example");
        let mut changed = released.clone();
        change(&mut changed);
        broken(&promises(&released), &promises(&changed))
    }

    fn remove(value: &mut Value, member: &str) {
        assert!(value.as_object_mut().unwrap().remove(member).is_some());
    }

    #[test]
    fn removals_and_new_requirements_are_breaking() {
        let projects = "/paths/~1api~1agent~1v1~1projects";
        let breaks: [(&str, Break); 6] = [
            ("", |it| remove(it, "get")),
            ("/get", |it| it["parameters"] = Value::Array(vec![])),
            ("/get", |it| it["operationId"] = "allProjects".into()),
            ("/get", |it| it["x-required-scope"] = "admin".into()),
            ("/post/responses", |it| remove(it, "201")),
            ("/post/requestBody/content/application~1json/schema", |it| {
                it["required"] = serde_json::json!(["domain", "name"]);
            }),
        ];
        for (place, change) in breaks {
            let place = format!("{projects}{place}");
            let broken = after(|it| change(it.pointer_mut(&place).unwrap()));
            assert!(!broken.is_empty(), "{place}");
        }
        let holds = after(|it| {
            let members = it.pointer_mut("/components/schemas/Project/properties");
            remove(members.unwrap(), "name");
        });
        assert!(
            holds.iter().any(|it| it.contains("Project.name")),
            "{holds:?}"
        );
    }

    #[test]
    fn additions_are_not_breaking() {
        let added = after(|it| {
            it["components"]["schemas"]["Project"]["properties"]["colour"] =
                serde_json::json!({ "type": "string" });
            let body = it.pointer_mut("/paths/~1api~1agent~1v1~1projects/post/requestBody/content/application~1json/schema/properties");
            body.unwrap()["colour"] = serde_json::json!({ "type": "string" });
        });
        assert_eq!(added, Vec::<String>::new());
    }
}
