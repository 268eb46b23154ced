//! The API reference, rendered from the OpenAPI document.

use super::page_header::{self, PageContent};
use crate::openapi;
use maud::{Markup, html};
use serde_json::Value;
use std::sync::OnceLock;

struct Operation {
    id: String,
    verb: String,
    verb_shown: String,
    path: String,
    summary: String,
    description: String,
    scope: String,
    parameters: Vec<Member>,
    members: Vec<Member>,
    responses: Vec<ResponseDoc>,
}

struct Member {
    name: String,
    location: String,
    kind: String,
    required: bool,
    description: String,
}

struct ResponseDoc {
    status: String,
    is_success: bool,
    schema: String,
    description: String,
}

/// Rendered once: it is the same for all users.
pub fn page(base_url: &str) -> PageContent {
    static RENDERED: OnceLock<Markup> = OnceLock::new();
    let reference = RENDERED.get_or_init(|| {
        let document = openapi::document(base_url);
        render(&operations(&document))
    });
    let lead = "Everything that agents can do over HTTP. Make a token in the settings, send it as a Bearer token, and begin with GET /health.";
    PageContent {
        title: "API reference".to_owned(),
        project: None,
        simulated: false,
        parts: vec![
            page_header::head(vec![], "API reference", lead, None),
            reference.clone(),
        ],
    }
}

fn render(operations: &[Operation]) -> Markup {
    let all = operations.iter().map(|it| {
        vec![
            html! { a href={ "#" (it.id) } { (method(it)) " " code { (it.path) } } },
            html! { (it.summary) },
            html! { (it.scope) },
        ]
    });
    html! {
        nav .card aria-label="Endpoints" {
            h2 { "Endpoints" }
            (table("All endpoints", true, &["Endpoint", "What it does", "Scope"], all))
        }
        @for it in operations { (section(it)) }
    }
}

fn method(it: &Operation) -> Markup {
    html! { span class={ "method " (it.verb) } { (it.verb_shown) } }
}

fn section(it: &Operation) -> Markup {
    let parameters = it.parameters.iter().map(|it| {
        vec![
            name(it),
            html! { (it.location) },
            html! { code { (it.kind) } },
            html! { (it.description) },
        ]
    });
    let members = it.members.iter().map(|it| {
        vec![
            name(it),
            html! { code { (it.kind) } },
            html! { (it.description) },
        ]
    });
    let answers = it.responses.iter().map(|it| {
        vec![
            html! { span class={ "tag " (if it.is_success { "good" } else { "warn" }) } { (it.status) } },
            html! { @if !it.schema.is_empty() { code { (it.schema) } } },
            html! { (it.description) },
        ]
    });
    html! {
        section class="card page" id=(it.id) {
            header {
                div .stack {
                    h2 { (it.summary) }
                    p { (method(it)) " " code .wrap { (it.path) } }
                }
            }
            p .lead { (it.description) }
            @if !it.parameters.is_empty() {
                (table("Parameters", false, &["Name", "In", "Type", "What it does"], parameters))
            }
            @if !it.members.is_empty() {
                (table("Body, as JSON", false, &["Member", "Type", "What it is"], members))
            }
            (table("Answers", false, &["Status", "Body", "When"], answers))
        }
    }
}

fn name(it: &Member) -> Markup {
    html! { code { (it.name) } @if it.required { " " span class="tag warn" { "required" } } }
}

/// The first cell is the row's header.
fn table(
    caption: &str,
    is_named_above: bool,
    columns: &[&str],
    rows: impl Iterator<Item = Vec<Markup>>,
) -> Markup {
    html! {
        div .scroll {
            table .cardy {
                caption class=[is_named_above.then_some("out")] { (caption) }
                thead { tr { @for column in columns { th scope="col" { (column) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, (cell, column)) in row.iter().zip(columns).enumerate() {
                                @if at == 0 { th scope="row" { (cell) } } @else { td data-label=(column) { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    let Some(pointer) = value["$ref"].as_str().and_then(|it| it.strip_prefix('#')) else {
        return value;
    };
    document.pointer(pointer).unwrap_or(value)
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut found = Vec::new();
    for (path, verbs) in document["paths"].as_object().into_iter().flatten() {
        for (verb, operation) in verbs.as_object().into_iter().flatten() {
            if !operation["operationId"].is_string() {
                continue;
            }
            found.push(operation_of(
                document,
                path,
                verb,
                operation,
                &verbs["parameters"],
            ));
        }
    }
    found
}

fn operation_of(
    document: &Value,
    path: &str,
    verb: &str,
    operation: &Value,
    shared: &Value,
) -> Operation {
    let lists = [shared, &operation["parameters"]];
    let parameters = lists.into_iter().filter_map(Value::as_array).flatten();
    let parameters = parameters.map(|it| {
        let it = resolved(document, it);
        Member {
            name: text(&it["name"]),
            location: text(&it["in"]),
            kind: kind(&it["schema"]),
            required: it["required"] == true,
            description: text(&it["description"]),
        }
    });
    let body = resolved(document, &operation["requestBody"]);
    let schemas = body["content"]
        .as_object()
        .into_iter()
        .flat_map(|it| it.values());
    let schema = schemas.map(|it| resolved(document, &it["schema"])).next();
    Operation {
        id: text(&operation["operationId"]),
        verb: verb.to_owned(),
        verb_shown: verb.to_uppercase(),
        path: path.to_owned(),
        summary: text(&operation["summary"]),
        description: text(&operation["description"]),
        scope: { operation["x-required-scope"].as_str() }
            .unwrap_or("–")
            .to_owned(),
        parameters: parameters.collect(),
        members: schema.map(|it| members(document, it)).unwrap_or_default(),
        responses: parse_responses(document, &operation["responses"]),
    }
}

fn members(document: &Value, schema: &Value) -> Vec<Member> {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let members = properties.map(|(name, it)| Member {
        name: name.clone(),
        location: String::new(),
        kind: kind(it),
        required: required.contains(&name.as_str()),
        description: text(&resolved(document, it)["description"]),
    });
    members.collect()
}

fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
        return name.to_owned();
    }
    if let Some(choices) = schema["enum"].as_array() {
        let choices: Vec<String> = choices
            .iter()
            .map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
            .collect();
        return choices.join(" | ");
    }
    let simple = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" | "),
        _ => String::new(),
    };
    if schema["items"].is_object() {
        return format!("array of {}", kind(&schema["items"]));
    }
    simple
}

fn parse_responses(document: &Value, responses: &Value) -> Vec<ResponseDoc> {
    let mut parsed = Vec::new();
    for (status, response) in responses.as_object().into_iter().flatten() {
        let response = resolved(document, response);
        let content = response["content"]
            .as_object()
            .into_iter()
            .flat_map(|it| it.values());
        let schema = content.map(|it| kind(&it["schema"])).next();
        parsed.push(ResponseDoc {
            status: status.clone(),
            is_success: status.starts_with('2') || status.starts_with('3'),
            schema: schema.unwrap_or_default(),
            description: text(&response["description"]),
        });
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_has_parameters_and_responses() {
        let document = openapi::document("https://seo.example");
        let operations = operations(&document);
        assert_eq!(operations.len(), crate::endpoints::agent_api().len());
        for it in &operations {
            assert!(
                !it.summary.is_empty() && !it.description.is_empty(),
                "{}",
                it.path
            );
            assert!(!it.responses.is_empty(), "{}", it.path);
        }
        let create = operations
            .iter()
            .find(|it| it.id == "createProject")
            .expect("it is told");
        assert_eq!(create.scope, "projects:write");
        assert!(
            create
                .members
                .iter()
                .any(|it| it.name == "domain" && it.required)
        );
    }
}
