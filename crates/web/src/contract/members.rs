use super::schemas;
use serde_json::Value;

/// Maximum nesting.
const DEPTH: usize = 3;

/// Sorted and unique; members of nested objects, also in lists, are dotted paths.
pub fn members(names: &[&str]) -> Vec<String> {
    let schemas = schemas::all();
    let mut paths = Vec::new();
    for name in names {
        collect(schemas, &schemas[*name], "", DEPTH, &mut paths);
    }
    paths.sort();
    paths.dedup();
    paths
}

fn collect(schemas: &Value, schema: &Value, prefix: &str, depth: usize, paths: &mut Vec<String>) {
    if depth == 0 {
        return;
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        collect(schemas, &schemas[name], prefix, depth, paths);
    }
    if schema["items"].is_object() {
        collect(schemas, &schema["items"], prefix, depth, paths);
    }
    for parts in ["allOf", "anyOf", "oneOf"] {
        for part in schema[parts].as_array().into_iter().flatten() {
            collect(schemas, part, prefix, depth, paths);
        }
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{prefix}{name}");
        collect(schemas, inner, &format!("{path}."), depth - 1, paths);
        paths.push(path);
    }
}
