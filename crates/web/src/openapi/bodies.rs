//! Schemas of request bodies: every rule that a schema can say stands in them.

use super::schemas::id;
use crate::agent_api::projects::{FREQUENCIES, INCLUDE_PDF};
use analysis::{observation::search_page::Device, url_rules::DOMAIN_PATTERN};
use domain::{
    email::EmailAddress,
    job::{JobPriority, kind::AnalysisKind},
    keyword::{Keyword, KeywordText, NewKeywords},
    market::{COUNTRIES, LANGUAGES},
    project::{Priority, ProjectMeta, Status, WorkflowStatus},
    report_settings::Section,
    text::{Label, Tag},
};
use serde_json::{Map, Value, json};

/// Not only white space, and without characters that are not seen (`domain::text::is_unseen`).
const PLAIN: &str = r"^[^\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]*[^\s\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff][^\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]*$";

fn text(most: usize) -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": most, "pattern": PLAIN })
}

fn or_null(mut schema: Value) -> Value {
    if let Some(members) = schema.as_object_mut() {
        if let Some(kind) = members.get("type").cloned() {
            members.insert("type".into(), json!([kind, "null"]));
        }
        if let Some(Value::Array(values)) = members.get_mut("enum") {
            values.push(Value::Null);
        }
    }
    schema
}

fn choice(names: &[&str]) -> Value {
    json!({ "type": "string", "enum": names })
}

fn list(items: &Value, most: usize) -> Value {
    json!({ "type": "array", "items": items, "maxItems": most })
}

fn object(required: &[&str], properties: &Map<String, Value>, example: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties, "examples": [example] })
}

fn keyword_texts(least: usize) -> Value {
    let item = text(KeywordText::MOST_CHARACTERS);
    json!({ "type": "array", "items": item, "minItems": least, "maxItems": NewKeywords::MOST, "description": "Repeats are folded." })
}

fn report_settings() -> Value {
    let sections: Map<String, Value> = Section::ALL
        .iter()
        .map(|it| (it.name().to_owned(), json!({ "type": ["boolean", "null"] })))
        .collect();
    json!({
        "type": ["object", "null"],
        "additionalProperties": false,
        "description": "Left out or null: the account's default report settings apply.",
        "properties": {
            "enabled": { "type": ["boolean", "null"] },
            "frequency": or_null(choice(&FREQUENCIES)),
            "includePdf": or_null(choice(&INCLUDE_PDF)),
            "contentOverrides": { "type": ["object", "null"], "additionalProperties": false, "properties": sections },
        },
    })
}

fn meta() -> Map<String, Value> {
    let email = json!({ "type": "string", "format": "email", "maxLength": EmailAddress::MAX, "pattern": EmailAddress::PATTERN });
    let fields = json!({
        "clientName": or_null(text(Label::MAX)),
        "category": or_null(text(Label::MAX)),
        "tags": or_null(list(&text(Tag::MAX), ProjectMeta::MOST_TAGS)),
        "favorite": { "type": "boolean" },
        "priority": or_null(choice(&Priority::NAMES)),
        "workflowStatus": or_null(choice(&WorkflowStatus::NAMES)),
        "assignedToName": or_null(text(Label::MAX)),
        "reportRecipients": or_null(list(&email, ProjectMeta::MOST_RECIPIENTS)),
        "reportSettings": report_settings(),
    });
    match fields {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

pub fn create_project() -> Value {
    let mut properties = Map::new();
    properties.insert("domain".into(), json!({ "type": "string", "minLength": 1, "maxLength": 2_048, "pattern": DOMAIN_PATTERN, "description": "The site's host; scheme, port and path are removed and told in warnings." }));
    properties.insert("name".into(), json!({ "type": "string", "minLength": 1, "maxLength": Label::MAX, "pattern": PLAIN, "description": "The domain when left out." }));
    properties.insert("keywords".into(), keyword_texts(0));
    properties.extend(meta());
    object(
        &["domain"],
        &properties,
        &json!({ "domain": "example.com", "name": "Example", "keywords": ["rust seo tool", "rank tracker"], "tags": ["docs"], "priority": "high" }),
    )
}

pub fn change_project() -> Value {
    let mut properties = Map::new();
    properties.insert("name".into(), text(Label::MAX));
    properties.insert("status".into(), choice(&Status::NAMES));
    properties.extend(meta());
    object(
        &[],
        &properties,
        &json!({ "favorite": true, "clientName": null }),
    )
}

fn market() -> Value {
    let one_of = |codes: &str, description: &str| json!({ "type": "string", "enum": codes.split(' ').collect::<Vec<_>>(), "description": description });
    let country = one_of(COUNTRIES, "ISO 3166-1, in lower case.");
    let language = one_of(LANGUAGES, "ISO 639-1, in lower case.");
    json!({
        "type": "object",
        "additionalProperties": false,
        "description": "Where and how it is searched; in the United States, in English, on a desktop when left out.",
        "properties": { "country": country, "language": language, "device": choice(&Device::NAMES), "location": or_null(text(100)) },
    })
}

pub fn add_keywords() -> Value {
    let mut properties = Map::new();
    properties.insert("keywords".into(), keyword_texts(1));
    properties.insert("aiTracked".into(), json!({ "type": "boolean", "description": "Whether the added keywords count toward the AI visibility allowance." }));
    properties.insert("market".into(), market());
    properties.insert(
        "tags".into(),
        or_null(list(&text(Tag::MAX), Keyword::MOST_TAGS)),
    );
    object(
        &["keywords"],
        &properties,
        &json!({ "keywords": ["rust seo tool"], "aiTracked": true, "market": { "country": "de", "language": "de" } }),
    )
}

pub fn change_keyword() -> Value {
    let mut properties = Map::new();
    properties.insert("aiTracked".into(), json!({ "type": "boolean" }));
    properties.insert("status".into(), choice(&Status::NAMES));
    properties.insert("market".into(), market());
    properties.insert("targetUrl".into(), json!({ "type": ["string", "null"], "format": "uri", "maxLength": 2_048, "pattern": r"^https?://[^\s\x00-\x1f/?#@:]+([/?#:][^\s\x00-\x1f]*)?$" }));
    properties.insert(
        "tags".into(),
        or_null(list(&text(Tag::MAX), Keyword::MOST_TAGS)),
    );
    object(&[], &properties, &json!({ "aiTracked": true }))
}

pub fn start_analysis() -> Value {
    let mut properties = Map::new();
    properties.insert("type".into(), json!({ "type": "string", "enum": AnalysisKind::NAMES, "description": "Kinds that this version does not run are refused with feature-disabled." }));
    properties.insert("projectId".into(), id());
    properties.insert("keywordIds".into(), json!({ "type": "array", "items": id(), "minItems": 1, "maxItems": 5_000, "description": "For rankCheck and aiVisibility: only these keywords." }));
    properties.insert("models".into(), json!({ "type": "array", "items": { "type": "string", "minLength": 1, "maxLength": 64 }, "minItems": 1, "maxItems": 20, "description": "For aiVisibility: only these AI engines, by the ids of GET /models; they have to be active." }));
    properties.insert("dryRun".into(), json!({ "type": "boolean", "description": "Tell what it would do and cost, and do nothing." }));
    properties.insert("priority".into(), choice(&JobPriority::NAMES));
    let mut body = object(
        &["type", "projectId"],
        &properties,
        &json!({ "type": "rankCheck", "projectId": 3_570_000_000_000_001_i64 }),
    );
    // What goes to pages has no use for keywords.
    let others: Vec<&str> = AnalysisKind::NAMES
        .into_iter()
        .filter(|it| !["siteAudit", "webVitals"].contains(it))
        .collect();
    body["anyOf"] = json!([
        { "properties": { "type": { "enum": others } } },
        { "properties": { "keywordIds": false } },
    ]);
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_api::{analyses, keywords, projects};

    fn names(schema: &Value) -> Vec<String> {
        let mut names: Vec<String> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        names.sort();
        names
    }

    #[test]
    fn schemas_name_exactly_what_is_read() {
        let pairs: [(Value, &[&str]); 5] = [
            (create_project(), &projects::CREATE_FIELDS),
            (change_project(), &projects::CHANGE_FIELDS),
            (add_keywords(), &keywords::ADD_FIELDS),
            (change_keyword(), &keywords::CHANGE_FIELDS),
            (start_analysis(), &analyses::START_FIELDS),
        ];
        for (schema, read) in pairs {
            let mut read: Vec<String> = read.iter().map(ToString::to_string).collect();
            read.sort();
            assert_eq!(names(&schema), read);
        }
    }
}
