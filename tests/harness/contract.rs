//! Compares every answer that a test gets with the OpenAPI document: the status is documented, and
//! the body has the documented form.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| web::openapi::document("https://sightline.example"));
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Checks an answer; methods and paths that the document does not have are not its business.
///
/// # Panics
/// When the answer is not what the document says.
pub fn check(method: &str, path: &str, status: u16, body: &Value) {
    let Some(operation) = operation(method, path) else {
        return;
    };
    let asked = format!("{method} {path}");
    let documented = &operation["responses"][status.to_string()];
    assert!(
        documented.is_object(),
        "{asked}: the status {status} is not documented: {body}"
    );
    let kind = if status < 300 {
        "application/json"
    } else {
        "application/problem+json"
    };
    let reference = documented["content"][kind]["schema"]["$ref"].as_str();
    let reference = reference.unwrap_or_else(|| panic!("{asked}: {status} has no schema"));
    let validator = validator(reference);
    let wrong: Vec<String> = validator
        .iter_errors(body)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(
        wrong.is_empty(),
        "{asked}: {status} is not a {reference}:\n{}\n{body}",
        wrong.join("\n")
    );
}

fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let paths = DOCUMENT["paths"].as_object()?;
    let fits = |template: &str| {
        let (wanted, given): (Vec<&str>, Vec<&str>) =
            (template.split('/').collect(), path.split('/').collect());
        wanted.len() == given.len()
            && wanted
                .iter()
                .zip(&given)
                .all(|(wanted, given)| *wanted == "{id}" || wanted == given)
    };
    let (_, operations) = paths.iter().find(|(template, _)| fits(template))?;
    operations.get(method.to_lowercase())
}

fn validator(reference: &str) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = validators.entry(reference.to_owned()).or_insert_with(|| {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$ref": reference,
            "components": DOCUMENT["components"],
        });
        Arc::new(
            jsonschema::options()
                .should_validate_formats(true)
                .build(&schema)
                .expect("a schema"),
        )
    });
    Arc::clone(validator)
}
