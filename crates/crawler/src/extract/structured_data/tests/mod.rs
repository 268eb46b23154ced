//! Structured data of small pages. `tests/oracles/extruct.py` compares real pages with extruct.

mod hostile;
mod json_ld;
mod microdata;
mod rdfa;

use super::*;
use crate::extract::parse::parse;
use analysis::observation::structured_data::{Format, Item, Value};

const BASE: &str = "https://example.com/shop/cup.html";

fn read(source: &str) -> PageStructuredData {
    let base = Url::parse(BASE).unwrap();
    let dom = parse(source).dom;
    structured_data(&dom, &JsonLd::of(&dom), &base)
}

/// Top-level items as text: `Product#id{name=Cup offers=Offer{price=1}}`.
fn shown(data: &PageStructuredData) -> Vec<String> {
    data.top_level().map(|it| shown_item(data, it)).collect()
}

fn shown_item(data: &PageStructuredData, number: u32) -> String {
    let item = data.item(number).unwrap();
    let types: Vec<&str> = item
        .types
        .iter()
        .map(|it| it.strip_prefix("https://schema.org/").unwrap_or(it))
        .collect();
    let id = item.id.as_ref().map(|it| format!("#{it}"));
    let properties = item.properties.iter().map(|it| {
        let value = match &it.value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => format!("n:{number}"),
            Value::Bool(value) => format!("b:{value}"),
            Value::Url(url) => format!("<{url}>"),
            Value::Reference(id) => format!("→{id}"),
            Value::Item(inner) => shown_item(data, *inner),
        };
        format!("{}={value}", it.name)
    });
    let properties: Vec<String> = properties.collect();
    format!(
        "{}{}{{{}}}",
        types.join("+"),
        id.unwrap_or_default(),
        properties.join(" ")
    )
}

#[test]
fn items_are_ordered_by_syntax() {
    let data = read(
        "<div vocab=http://schema.org/ typeof=Thing></div><div itemscope></div>\
         <script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Thing\"}</script>",
    );
    let formats: Vec<Format> = data.items.iter().map(|it: &Item| it.format).collect();
    assert_eq!(formats, [Format::JsonLd, Format::Microdata, Format::Rdfa]);
    assert_eq!(data.items[1].location.column, 50);
}

#[test]
fn social_metadata_is_separate_from_items() {
    let data = read(
        "<meta property=og:title content=T><meta property='article:author' content=A>\
         <meta name=twitter:card content=summary><meta property=twitter:site content=@x>\
         <meta name=og:x content=no><meta property=dc:title content=D><meta property=og:none>",
    );
    let names = |all: &[analysis::observation::structured_data::MetaProperty]| {
        let all = all.iter().map(|it| format!("{}={}", it.name, it.content));
        all.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&data.open_graph), "og:title=T article:author=A");
    assert_eq!(names(&data.twitter), "twitter:card=summary twitter:site=@x");
    assert_eq!(
        shown(&data),
        [format!("#{BASE}{{http://purl.org/dc/terms/title=D}}")]
    );
}
