//! The OpenAPI 3.1 document, generated from the route table and the schemas.

#[cfg(feature = "schemas")]
mod derived;
mod guide;
mod headers;
mod links;

#[cfg(feature = "schemas")]
pub use derived::derived;
pub use guide::guide;

use crate::contract::{id, schemas};
use crate::endpoint::Endpoint;
use crate::endpoints;
use crate::http::entity_tag::EntityTag;
use crate::problem::Code;
use crate::route_table::Verb;
use domain::{scope::Scope, token::PlainToken};
use serde_json::{Map, Value, json};

/// Error statuses of every route with a token.
const COMMON: [u16; 9] = [401, 403, 405, 406, 414, 429, 431, 500, 503];
/// Further error statuses of routes with a body.
const WITH_BODY: [u16; 4] = [400, 408, 413, 415];

pub fn document(base_url: &str) -> Value {
    let endpoints = endpoints::agent_api();
    let mut paths: Map<String, Value> = Map::new();
    for endpoint in &endpoints {
        let path = paths
            .entry(endpoint.path.to_owned())
            .or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(endpoint.verb.name().to_lowercase(), operation(endpoint));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": info(),
        "servers": [{ "url": base_url }],
        "security": [{ "agentToken": [] }],
        "tags": tags(),
        "paths": paths,
        "components": {
            "securitySchemes": { "agentToken": security() },
            "schemas": schemas(),
        },
        "x-mcp-tools": tools(&endpoints),
        "x-token-pattern": PlainToken::PATTERN,
    })
}

fn info() -> Value {
    json!({
        "title": "Sightline Agent API",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "How visible websites are: positions in search results, broken links, and more. Every refusal is a problem document (RFC 9457) with a stable code, what was wrong, where, and how to mend it.",
        "contact": { "name": "The operator of this server" },
        "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    })
}

fn tags() -> Value {
    json!([
        { "name": "about", "description": "The token, the limits, this document." },
        { "name": "projects", "description": "Monitored sites." },
        { "name": "keywords", "description": "What people search for." },
        { "name": "analyze", "description": "Starting and following analyses." },
        { "name": "results", "description": "What was measured." },
        { "name": "models", "description": "AI models." },
    ])
}

fn security() -> Value {
    json!({ "type": "http", "scheme": "bearer", "bearerFormat": PlainToken::PATTERN, "description": "A token that the account's owner created. Keep it out of client-side code, repositories and shared documents." })
}

fn tools(endpoints: &[Endpoint]) -> Value {
    let mut tools: Map<String, Value> = Map::new();
    for endpoint in endpoints {
        for tool in endpoint.tools {
            let pairs = tools.entry((*tool).to_owned()).or_insert_with(|| json!([]));
            if let Some(pairs) = pairs.as_array_mut() {
                pairs.push(endpoint.operation.into());
            }
        }
    }
    tools.into()
}

fn tag(endpoint: &Endpoint) -> &'static str {
    match endpoint.path.trim_start_matches("/api/agent/v1/") {
        "health" | "docs" => "about",
        "analyze" => "analyze",
        "results" => "results",
        "models" => "models",
        path if path.contains("keywords") => "keywords",
        _ => "projects",
    }
}

fn operation(endpoint: &Endpoint) -> Value {
    let mut operation = json!({
        "operationId": endpoint.operation,
        "summary": endpoint.summary,
        "description": endpoint.description,
        "tags": [tag(endpoint)],
        "parameters": all_parameters(endpoint),
        "responses": responses(endpoint),
    });
    let Some(members) = operation.as_object_mut() else {
        return operation;
    };
    if endpoint.deprecated.is_some() {
        members.insert("deprecated".into(), true.into());
    }
    match endpoint.access.scope() {
        None => members.insert("security".into(), json!([])),
        Some(scope) => members.insert("x-required-scope".into(), scope.name().into()),
    };
    if let Some(body) = endpoint.body {
        let schema = body();
        let types: Map<String, Value> = endpoint
            .verb
            .accepted_types()
            .iter()
            .map(|it| ((*it).to_owned(), json!({ "schema": schema })))
            .collect();
        members.insert(
            "requestBody".into(),
            json!({ "required": true, "content": types }),
        );
    }
    operation
}

fn all_parameters(endpoint: &Endpoint) -> Vec<Value> {
    let mut all = Vec::new();
    if endpoint.path.contains("{id}") {
        all.push(json!({ "name": "id", "in": "path", "required": true, "description": "The id.", "schema": id() }));
    }
    let query = (endpoint.parameters)();
    all.extend(query.into_iter().map(|it| json!({ "name": it.name, "in": "query", "required": it.required, "description": it.description, "schema": it.schema })));
    if endpoint.is_conditional {
        all.extend(conditions(endpoint.verb));
    }
    if endpoint.verb == Verb::Post {
        all.push(json!({
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "A text of your own for this request, for example a UUID. For 24 hours the same request with the same key is executed once and answered alike (Idempotent-Replayed: true); another request with it is refused.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[!#-\[\]-~]+$" },
        }));
    }
    all
}

/// `If-Match` is legal but useless for reads, so it is not advertised.
fn conditions(verb: Verb) -> Vec<Value> {
    let header = |name: &str, description: &str| json!({ "name": name, "in": "header", "required": false, "description": description, "schema": { "type": "string", "pattern": EntityTag::LIST_PATTERN, "examples": ["\"3f1c9a52d0e84b77\""] } });
    if verb == Verb::Get {
        vec![header(
            "If-None-Match",
            "The ETag of an earlier answer: 304 when it still holds.",
        )]
    } else {
        vec![header(
            "If-Match",
            "The ETag of what was read: 412 when it was changed since, and nothing is done.",
        )]
    }
}

fn responses(endpoint: &Endpoint) -> Value {
    let mut responses: Map<String, Value> = Map::new();
    for (status, schema) in endpoint.responses {
        let content = json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } });
        let mut response = json!({ "description": success(*status), "content": content });
        let links = links::response_links(endpoint.operation, *status);
        if !links.is_empty() {
            response["links"] = links.into();
        }
        responses.insert(status.to_string(), response);
    }
    if endpoint.is_conditional && endpoint.verb == Verb::Get {
        let unchanged =
            json!({ "description": "Unchanged since the ETag in If-None-Match was answered." });
        responses.insert("304".to_owned(), unchanged);
    }
    for status in refusals(endpoint) {
        responses.insert(status.to_string(), refusal(status, endpoint.access.scope()));
    }
    for (status, response) in &mut responses {
        let status = status.parse().expect("made from a number above");
        response["headers"] = headers::response_headers(endpoint, status).into();
    }
    responses.into()
}

fn refusals(endpoint: &Endpoint) -> Vec<u16> {
    let mut statuses: Vec<u16> = endpoint.error_statuses.to_vec();
    match endpoint.access.scope() {
        Some(_) => statuses.extend(COMMON),
        None => statuses.extend([405, 406, 414, 422, 429, 431, 500, 503]),
    }
    if matches!(endpoint.verb, Verb::Post | Verb::Patch) {
        statuses.extend(WITH_BODY);
    }
    if endpoint.is_conditional {
        statuses.extend([400, 412]);
    }
    statuses.sort_unstable();
    statuses.dedup();
    statuses
}

const fn success(status: u16) -> &'static str {
    match status {
        201 => "Created.",
        202 => "Accepted: stored, and done later.",
        _ => "Done.",
    }
}

fn refusal(status: u16, scope: Option<Scope>) -> Value {
    let codes: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| code.status() == status && !code.is_for_people())
        .map(|code| code.name())
        .collect();
    let needs = scope
        .filter(|_| status == 403)
        .map_or_else(String::new, |scope| {
            format!(" The token needs the scope {scope}.")
        });
    json!({
        "description": format!("Refused: {}.{needs}", codes.join(", ")),
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                found.extend(
                    members
                        .get("$ref")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                );
                members.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_resolves() {
        let document = document("http://127.0.0.1:8080");
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        for reference in found {
            let pointer = reference.trim_start_matches('#');
            let written_by = "contract/schemas.json, which tests/suite/agent_api/schemas.rs writes";
            assert!(
                document.pointer(pointer).is_some(),
                "{reference} is not in {written_by}"
            );
        }
    }

    #[test]
    fn operation_ids_are_unique() {
        let endpoints = endpoints::agent_api();
        let names: BTreeSet<&str> = endpoints
            .iter()
            .map(|endpoint| endpoint.operation)
            .collect();
        assert_eq!(names.len(), endpoints.len());
    }

    #[test]
    fn all_eight_tools_are_paired() {
        let document = document("http://127.0.0.1:8080");
        let tools: Vec<&str> = document["x-mcp-tools"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(tools.len(), 8, "{tools:?}");
    }

    #[test]
    fn the_guide_is_small() {
        let size = guide("http://127.0.0.1:8080").to_string().len();
        assert!(size <= 16 * 1024, "{size} bytes");
    }
}
