//! The structured data that a page holds: JSON-LD, microdata and `RDFa` as one list of items, and what
//! was wrong with its syntax.
//!
//! Items stand in a flat list and name each other by number, so that neither storing nor reading
//! needs recursion. An item that a property holds comes after the item with the property, and
//! belongs to that property alone: the list is a forest. Whatever else refers to an item does so by
//! id ([`Value::Reference`]), and such references may run in circles.

use crate::ToSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How schema.org's names are written in full here, whatever the page writes.
pub const SCHEMA_ORG: &str = "https://schema.org/";

/// The structured data of one page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PageStructuredData {
    /// All items: JSON-LD, then microdata, then `RDFa`, each in document order.
    pub items: Vec<Item>,
    /// Blocks that could not be read; nothing of them is in `items`.
    pub parse_errors: Vec<ParseError>,
    /// What was read and is not right.
    pub notes: Vec<SyntaxNote>,
    /// Microdata that no item has, in document order.
    pub outside_items: Vec<OutsideItem>,
    /// Properties of the Open Graph protocol and its relatives, in document order.
    pub open_graph: Vec<MetaProperty>,
    /// Properties of Twitter's cards, in document order.
    pub twitter: Vec<MetaProperty>,
    /// Bounds that kept something from being read.
    pub limits: BTreeSet<DataLimit>,
}

/// The syntax that something is written in.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataFormat)]
pub enum Format {
    /// `script type="application/ld+json"`.
    JsonLd,
    /// `itemscope`, `itemprop`.
    Microdata,
    /// `typeof`, `property`.
    Rdfa,
}

/// A place in the page's source.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = SourceLocation)]
pub struct Location {
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
}

/// A thing that the page describes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Its syntax.
    pub format: Format,
    /// Its types as absolute addresses; those of schema.org begin with [`SCHEMA_ORG`]. A type
    /// without a vocabulary is kept as written.
    pub types: Vec<String>,
    /// Its id as an absolute address, or a blank node's name (`_:x`).
    pub id: Option<String>,
    /// Its properties in the order of the source.
    pub properties: Vec<Property>,
    /// Where it begins.
    pub location: Location,
    /// The number of the item that holds it in a property.
    pub parent: Option<u32>,
}

/// One value of one property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Property {
    /// A plain name is one of schema.org's, or has no vocabulary; others are absolute addresses.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// What a property has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Value {
    /// Text; that of elements with white space collapsed.
    Text(String),
    /// A number of JSON; one that is too large for any is the text [`INFINITE`].
    Number(serde_json::Number),
    /// A boolean of JSON.
    Bool(bool),
    /// An address, resolved against the document's base.
    Url(String),
    /// The number of the item that it holds.
    Item(u32),
    /// The id of an item that may be described elsewhere.
    Reference(String),
}

/// A block that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataError)]
pub struct ParseError {
    /// What the parser says.
    pub message: String,
    /// Where in the page it stopped.
    pub location: Location,
}

/// An `itemprop` that is in no item and that no `itemref` names: no reader takes it, nor what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StructuredDataOutsideItem)]
pub struct OutsideItem {
    /// Its names as written, for example `review`.
    pub properties: Vec<String>,
    /// Its types, those of schema.org without the address; none where it is no item itself.
    pub types: Vec<String>,
    /// Where it begins.
    pub location: Location,
}

/// Something that is not right, and did not keep the rest from being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxNote {
    /// What it is.
    pub kind: SyntaxNoteKind,
    /// Where.
    pub location: Location,
    /// The item that it is about.
    pub item: Option<u32>,
}

/// What is not right.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum SyntaxNoteKind {
    /// The JSON stands in an HTML comment.
    CommentWrapper,
    /// The JSON stands in a CDATA section.
    CdataWrapper,
    /// An object has a key twice; both values are read.
    DuplicateKey,
    /// JSON-LD without `@context`: its names mean nothing.
    ContextMissing,
    /// JSON-LD whose `@context` is not schema.org's.
    ContextUnknown,
    /// `itemref` leads back to an item that it is part of.
    ItemrefCycle,
    /// `itemref` names an id that is not on the page.
    ItemrefMissing,
    /// A block of more than 1 MiB, which is not read.
    BlockTooLarge,
    /// A block that is nested too deep to be read.
    BlockTooDeep,
}

/// A bound that kept something from being read.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum DataLimit {
    /// Too many items.
    Items,
    /// Too many values.
    Values,
    /// A text was cut, or all texts together are too long.
    Text,
    /// A block of JSON-LD is too large or too deep.
    Block,
    /// Too many errors and notes to list.
    Notes,
    /// Too many elements to visit.
    Work,
}

/// A `meta` element that social networks read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetaProperty {
    /// As written, for example `og:title`.
    pub name: String,
    /// Its content.
    pub content: String,
}

impl PageStructuredData {
    /// The numbers of the items that no other item holds.
    pub fn top_level(&self) -> impl Iterator<Item = u32> {
        let numbered = (0_u32..).zip(&self.items);
        numbered
            .filter(|(_, it)| it.parent.is_none())
            .map(|(at, _)| at)
    }

    /// An item by its number.
    #[must_use]
    pub fn item(&self, number: u32) -> Option<&Item> {
        self.items.get(usize::try_from(number).ok()?)
    }

    /// For each id, the items that have it; blank nodes of different syntaxes are different.
    #[must_use]
    pub fn by_id(&self) -> BTreeMap<&str, Vec<u32>> {
        let mut all: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (at, item) in (0_u32..).zip(&self.items) {
            if let Some(id) = &item.id {
                all.entry(id).or_default().push(at);
            }
        }
        all
    }
}

impl Item {
    /// The names of those of its types that schema.org has, or may have.
    pub fn schema_types(&self) -> impl Iterator<Item = &str> {
        self.types
            .iter()
            .filter_map(|it| it.strip_prefix(SCHEMA_ORG))
    }

    /// All values of a property.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        let matching = self.properties.iter().filter(move |it| it.name == name);
        matching.map(|it| &it.value)
    }
}

/// What stands for a number of JSON that browsers read as infinity.
pub const INFINITE: &str = "∞";

impl Value {
    /// The value as text; `None` for items.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) | Self::Url(text) | Self::Reference(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Bool(value) => Some(value.to_string()),
            Self::Item(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_what_was_seen() {
        let seen = PageStructuredData {
            items: vec![Item {
                format: Format::JsonLd,
                types: vec!["https://schema.org/Product".into(), "Own".into()],
                id: Some("https://example.com/#p".into()),
                properties: vec![
                    Property {
                        name: "sku".into(),
                        value: Value::Number(12_345_678_901_234_567_u64.into()),
                    },
                    Property {
                        name: "offers".into(),
                        value: Value::Item(1),
                    },
                ],
                location: Location { line: 3, column: 7 },
                parent: None,
            }],
            limits: BTreeSet::from([DataLimit::Text]),
            ..PageStructuredData::default()
        };
        let stored = serde_json::to_string(&seen).unwrap();
        assert!(stored.contains(r#"{"name":"offers","value":{"item":1}}"#));
        assert_eq!(
            serde_json::from_str::<PageStructuredData>(&stored).unwrap(),
            seen
        );
        assert_eq!(
            seen.items[0].schema_types().collect::<Vec<_>>(),
            ["Product"]
        );
        assert_eq!(seen.by_id()["https://example.com/#p"], [0]);
    }
}
