//! `tests/oracles/google_rich_results.py` compares Google's rules with Adobe's validator on thousands of
//! pages.

mod consistency;
mod google;
mod laws;
mod page;
mod vocabulary_terms;

use super::*;
use crate::findings::broken_links::Severity;
use crate::observation::structured_data::{
    Format, Item, Location, PageStructuredData, Property, SCHEMA_ORG, Value,
};
use chrono::DateTime;
use serde_json::{Value as Json, json};

/// One item or a list of items as a page's data, all in one syntax.
fn data(format: Format, items: &Json) -> PageStructuredData {
    let mut data = PageStructuredData::default();
    add(&mut data, format, items);
    data
}

fn add(data: &mut PageStructuredData, format: Format, items: &Json) {
    match items {
        Json::Array(all) => all.iter().for_each(|it| add(data, format, it)),
        one => {
            add_item(data, format, one, None);
        }
    }
}

fn add_item(
    data: &mut PageStructuredData,
    format: Format,
    item: &Json,
    parent: Option<u32>,
) -> u32 {
    let number = u32::try_from(data.items.len()).unwrap();
    let types = match &item["@type"] {
        Json::Array(all) => all.iter().map(full).collect(),
        Json::Null => Vec::new(),
        one => vec![full(one)],
    };
    data.items.push(Item {
        format,
        types,
        id: item["@id"].as_str().map(str::to_owned),
        properties: Vec::new(),
        location: Location {
            line: number + 1,
            column: 1,
        },
        parent,
    });
    for (name, values) in item.as_object().unwrap() {
        if name.starts_with('@') {
            continue;
        }
        let values = match values {
            Json::Array(all) => all.as_slice(),
            one => std::slice::from_ref(one),
        };
        for it in values {
            let value = value(data, format, it, number);
            let name = name.clone();
            data.items[number as usize]
                .properties
                .push(Property { name, value });
        }
    }
    number
}

fn full(name: &Json) -> String {
    let name = name.as_str().unwrap();
    if name.contains(':') {
        name.to_owned()
    } else {
        format!("{SCHEMA_ORG}{name}")
    }
}

fn value(data: &mut PageStructuredData, format: Format, json: &Json, holder: u32) -> Value {
    match json {
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(value) => Value::Number(value.clone()),
        Json::String(text) => Value::Text(text.clone()),
        Json::Object(object) if object.len() == 1 && object.contains_key("@id") => {
            Value::Reference(object["@id"].as_str().unwrap().to_owned())
        }
        inner => Value::Item(add_item(data, format, inner, Some(holder))),
    }
}

fn evaluated(data: &PageStructuredData, text: Option<&str>) -> SchemaRecord {
    evaluated_at("https://example.com/page", data, text, None)
}

fn evaluated_at(
    url: &str,
    data: &PageStructuredData,
    visible_text: Option<&str>,
    template: Option<PageTemplate>,
) -> SchemaRecord {
    let page = PageInput {
        url,
        data,
        visible_text,
        days: &[],
        template,
        rendered_only: false,
    };
    let context = FindingContext {
        project_id: 7,
        measured_at: DateTime::UNIX_EPOCH,
    };
    evaluate_page(&page, &context)
}

/// The only entity of a page with this item.
fn entity(item: Json) -> Entity {
    let record = evaluated(&data(Format::JsonLd, &item), None);
    assert_eq!(record.entities.len(), 1, "{:?}", record.entities);
    record.entities.into_iter().next().unwrap()
}

/// Codes and paths of an entity's issues, recommendations left out.
fn issues(entity: &Entity) -> Vec<(IssueCode, &str)> {
    let listed = entity.issues.iter();
    listed
        .filter(|it| it.code != IssueCode::RecommendedMissing)
        .map(|it| (it.code, it.path.as_str()))
        .collect()
}

/// An item with some of its properties changed, or removed if null.
fn with(item: &Json, changes: Json) -> Json {
    let mut item = item.clone();
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            item.as_object_mut().unwrap().remove(name);
        } else {
            item[name] = value.clone();
        }
    }
    item
}
