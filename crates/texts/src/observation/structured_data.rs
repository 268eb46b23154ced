//! JSON-LD, microdata and `RDFa` as one flat list of items with syntax errors, stored and read without recursion. A
//! nested item follows its parent and belongs to one property only: the list is a forest. Other references are by id
//! ([`Value::Reference`]) and may be cyclic.

use crate::ToSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Prefix of schema.org names in full form.
pub const SCHEMA_ORG: &str = "https://schema.org/";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PageStructuredData {
    /// JSON-LD, then microdata, then `RDFa`, each in document order.
    pub items: Vec<Item>,
    /// Blocks that cannot be parsed; `items` has nothing of them.
    pub parse_errors: Vec<ParseError>,
    pub notes: Vec<SyntaxNote>,
    /// Microdata properties outside an item, in document order.
    pub outside_items: Vec<OutsideItem>,
    /// Open Graph and related vocabularies, in document order.
    pub open_graph: Vec<MetaProperty>,
    /// Twitter cards, in document order.
    pub twitter: Vec<MetaProperty>,
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    pub format: Format,
    /// Absolute; those of schema.org start with [`SCHEMA_ORG`]. Types without a vocabulary are kept as written.
    pub types: Vec<String>,
    /// Absolute, or a blank node (`_:x`).
    pub id: Option<String>,
    /// In the order of the source.
    pub properties: Vec<Property>,
    pub location: Location,
    /// Number of the parent item.
    pub parent: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Property {
    /// Plain for schema.org or without a vocabulary; else absolute.
    pub name: String,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Value {
    /// White space of elements collapsed.
    Text(String),
    /// Too large numbers are the text [`INFINITE`].
    Number(serde_json::Number),
    Bool(bool),
    /// Resolved against the document's base.
    Url(String),
    /// Number of the item.
    Item(u32),
    /// Id of an item that may be defined elsewhere.
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
    /// Its types, those of schema.org without the address; none where it is not an item itself.
    pub types: Vec<String>,
    /// Where it begins.
    pub location: Location,
}

/// An error after which the rest was still read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyntaxNote {
    pub kind: SyntaxNoteKind,
    pub location: Location,
    pub item: Option<u32>,
}

/// What is not right.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum SyntaxNoteKind {
    /// The JSON is inside an HTML comment.
    CommentWrapper,
    /// The JSON is inside a CDATA section.
    CdataWrapper,
    /// An object has a key twice; both values are read.
    DuplicateKey,
    /// JSON-LD without `@context`: its names mean nothing.
    ContextMissing,
    /// JSON-LD with an `@context` other than schema.org's.
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
    pub content: String,
}

impl PageStructuredData {
    pub fn top_level(&self) -> impl Iterator<Item = u32> {
        let numbered = (0_u32..).zip(&self.items);
        numbered
            .filter(|(_, it)| it.parent.is_none())
            .map(|(at, _)| at)
    }

    pub fn item(&self, number: u32) -> Option<&Item> {
        self.items.get(usize::try_from(number).ok()?)
    }

    /// Blank nodes of different syntaxes differ.
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
    /// Its schema.org types, without the prefix.
    pub fn schema_types(&self) -> impl Iterator<Item = &str> {
        self.types
            .iter()
            .filter_map(|it| it.strip_prefix(SCHEMA_ORG))
    }

    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Value> {
        let matching = self.properties.iter().filter(move |it| it.name == name);
        matching.map(|it| &it.value)
    }
}

/// A JSON number that browsers parse as infinity.
pub const INFINITE: &str = "∞";

impl Value {
    /// `None` for items.
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
    fn structured_data_round_trips_through_json() {
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
