//! Validates every response that a test receives against the OpenAPI document.

use crate::callers::Answer;
use jsonschema::{Draft, Validator};
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| web::openapi::document("https://seo.example"));
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Headers that must be documented for each response that has them.
const DOCUMENTED_HEADERS: [&str; 12] = [
    "Accept-Encoding",
    "Accept-Patch",
    "Accept-Post",
    "Allow",
    "ETag",
    "Idempotent-Replayed",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
    "X-Request-Id",
];

/// Panics if the document does not allow the response.
pub fn check(method: &Method, path: &str, query: &str, answer: &Answer) {
    if *method == Method::OPTIONS || answer.status == 204 {
        assert!(
            answer.body.is_empty(),
            "{}: {}",
            answer.request,
            answer.body
        );
        return;
    }
    if *method == Method::HEAD {
        assert!(
            answer.body.is_empty(),
            "{}: {}",
            answer.request,
            answer.body
        );
    }
    match operations(path) {
        Some(operations) => check_operation(operations, method, query, answer),
        // JSON-RPC errors have their own form.
        None if path == web::paths::MCP && answer.body.contains("\"jsonrpc\"") => {
            let body = answer.json();
            let is_error = body["error"]["code"].is_i64() && body["error"]["message"].is_string();
            assert!(is_error || answer.status.is_success(), "{}", answer.body);
        }
        None if answer.status == 304 => assert!(answer.body.is_empty(), "{}", answer.request),
        None if answer.status.is_client_error()
            || path.starts_with("/api/") && !answer.status.is_success() =>
        {
            check_body("Problem", answer);
        }
        None => {}
    }
}

fn check_operation(operations: &Value, method: &Method, query: &str, answer: &Answer) {
    let verb = if *method == Method::HEAD {
        "get"
    } else {
        &method.as_str().to_lowercase()
    };
    let Some(operation) = operations.get(verb) else {
        assert!(
            [404, 405, 414].contains(&answer.status.as_u16()),
            "{}: {}",
            answer.request,
            answer.status
        );
        return;
    };
    let status = answer.status.as_u16().to_string();
    let Some(response) = operation["responses"].get(&status) else {
        panic!(
            "{}: {status} is not documented: {}",
            answer.request, answer.body
        );
    };
    for name in DOCUMENTED_HEADERS
        .iter()
        .filter(|it| !answer.header(it).is_empty())
    {
        let is_documented = response["headers"].get(name).is_some();
        assert!(
            is_documented,
            "{}: {name} of {status} is not documented",
            answer.request
        );
    }
    if answer.status == 304 {
        assert!(
            answer.body.is_empty(),
            "{}: {}",
            answer.request,
            answer.body
        );
        return;
    }
    let content = response["content"]
        .as_object()
        .expect("every answer has a body");
    let kind = answer.header("content-type");
    let Some(media) = content.get(kind) else {
        panic!("{}: {status} as `{kind}` is not documented", answer.request);
    };
    if *method == Method::HEAD {
        return;
    }
    let reference = media["schema"]["$ref"].as_str().expect("a named schema");
    check_body(
        reference.trim_start_matches("#/components/schemas/"),
        answer,
    );
    if answer.status == 200 && !query.contains("fields=") {
        check_records(operation["operationId"].as_str().expect("a name"), answer);
    }
}

/// The document allows partial records (`fields=`) and any record type; unselected responses must be complete and of
/// the requested type.
fn check_records(operation: &str, answer: &Answer) {
    let body = answer.json();
    let schema = match (operation, body["type"].as_str()) {
        ("getProject", _) => return check_schema("Project", &body, &answer.request),
        ("listProjects", _) => "Project",
        ("listKeywords", _) => "Keyword",
        ("getResults", Some("rankings")) => "RankingRecord",
        ("getResults", Some("serp")) => "SerpRecord",
        ("getResults", Some("sov")) => "SovRecord",
        ("getResults", Some("forecast")) => "ForecastRecord",
        ("getResults", Some("competitors")) => "CompetitorRecord",
        ("getResults", Some("ai-visibility")) => "AiVisibilityRecord",
        ("getResults", Some("ai-trends")) => "AiTrendRecord",
        ("getResults", Some("suggestions")) => "SuggestionRecord",
        ("getResults", Some("cannibalization")) => "CannibalizationRecord",
        ("getResults", Some("broken-links")) => "BrokenLink",
        ("getResults", Some("content")) => "ContentRecord",
        ("getResults", Some("content-changes")) => "ChangeRecord",
        ("getResults", Some("geo-score")) => "GeoRecord",
        ("getResults", Some("eeat")) => "EeatRecord",
        ("getResults", Some("schema")) => "SchemaRecord",
        ("getResults", Some("vitals")) => "VitalsRecord",
        _ => return,
    };
    for item in body["items"].as_array().expect("items") {
        check_schema(schema, item, &answer.request);
    }
}

fn check_body(schema: &str, answer: &Answer) {
    if !answer.request.starts_with("HEAD ") {
        check_schema(schema, &answer.json(), &answer.request);
    }
}

fn check_schema(schema: &str, value: &Value, request: &str) {
    let validator = validator(schema);
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{} at `{}`", error, error.instance_path()))
        .collect();
    assert!(
        errors.is_empty(),
        "{request} does not match {schema}: {errors:#?}\n{value:#}"
    );
}

fn validator(schema: &str) -> Arc<Validator> {
    let mut known = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = known.entry(schema.to_owned()).or_insert_with(|| {
        let whole = json!({ "$ref": format!("#/components/schemas/{schema}"), "components": DOCUMENT["components"] });
        let built = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true).build(&whole);
        Arc::new(built.unwrap_or_else(|error| panic!("{schema} is not a schema: {error}")))
    });
    Arc::clone(validator)
}

/// The operations of the path.
fn operations(path: &str) -> Option<&'static Value> {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let fits = |template: &str| {
        let (mut of_template, mut of_path) = (template.split('/'), path.split('/'));
        loop {
            match (of_template.next(), of_path.next()) {
                (None, None) => return true,
                (Some("{id}"), Some(id)) if !id.is_empty() => {}
                (Some(a), Some(b)) if a == b => {}
                _ => return false,
            }
        }
    };
    paths
        .iter()
        .find_map(|(template, operations)| fits(template).then_some(operations))
}
