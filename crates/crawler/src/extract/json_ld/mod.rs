//! The JSON-LD blocks of a page, each parsed once. [`super::structured_data`] uses valid JSON only, as Google does;
//! [`super::metadata`] also repaired JSON.

mod repair;
mod wrapper;

use super::dom::{Dom, Kind, NodeId, SourcePosition};
use super::json;
use super::json::{Json, JsonError, Object};
use analysis::observation::structured_data::SyntaxNoteKind;
use std::{cell::Cell, collections::VecDeque};

/// Longer blocks are skipped.
const MAX_BYTES: usize = 1 << 20;
const MAX_BLOCKS: usize = 500;
/// JSON values per page, nested ones included.
pub(super) const MAX_VALUES: usize = 150_000;
/// Objects per page that [`JsonLd::objects`] returns.
const MAX_OBJECTS: usize = 2_000;

pub struct JsonLd {
    pub blocks: Vec<Block>,
}

pub struct Block {
    pub node: NodeId,
    pub begins: SourcePosition,
    pub wrappers: Vec<SyntaxNoteKind>,
    pub outcome: ParseOutcome,
}

pub enum ParseOutcome {
    Empty,
    /// The block is too long, or the page has too many values.
    TooLarge,
    TooDeep,
    Json {
        json: Json,
        /// Position of each object, by its number.
        positions: Vec<SourcePosition>,
    },
    Invalid {
        message: String,
        position: SourcePosition,
        /// The value after repairs, if they helped.
        repaired: Option<Json>,
    },
}

impl JsonLd {
    pub fn of(dom: &Dom) -> Self {
        let scripts = dom.elements("script").filter(|it| is_json_ld(dom, *it));
        let budget = Cell::new(MAX_VALUES);
        Self {
            blocks: scripts
                .take(MAX_BLOCKS)
                .map(|it| read_block(dom, it, &budget))
                .collect(),
        }
    }

    /// All objects with their script's node, in lists, graphs and repaired blocks too; outer before inner.
    pub fn objects(&self) -> Vec<(NodeId, &Json)> {
        let mut objects = Vec::new();
        let values = self
            .blocks
            .iter()
            .filter_map(|it| Some((it.node, it.value()?)));
        let mut waiting: VecDeque<_> = values.collect();
        while let Some((id, value)) = waiting.pop_front() {
            match value {
                Json::List(all) => waiting.extend(all.iter().map(|it| (id, it))),
                Json::Object(object) => {
                    objects.push((id, value));
                    let inner = object.entries.iter().map(|it| &it.1);
                    waiting.extend(
                        inner
                            .filter(|it| matches!(it, Json::List(_) | Json::Object(_)))
                            .map(|it| (id, it)),
                    );
                }
                _ => {}
            }
            if objects.len() >= MAX_OBJECTS {
                break;
            }
        }
        objects
    }
}

impl Block {
    fn value(&self) -> Option<&Json> {
        match &self.outcome {
            ParseOutcome::Json { json, .. } => Some(json),
            ParseOutcome::Invalid {
                repaired: mended, ..
            } => mended.as_ref(),
            _ => None,
        }
    }
}

/// Types of an object, without all up to the last slash, colon or hash.
pub fn types(object: &Json) -> impl Iterator<Item = &str> {
    let named = match &object["@type"] {
        Json::List(all) => all.iter().filter_map(Json::as_str).collect(),
        Json::Text(one) => vec![one.as_str()],
        _ => Vec::new(),
    };
    named
        .into_iter()
        .map(|it| it.rsplit(['/', ':', '#']).next().unwrap_or(it))
}

pub fn is_article(object: &Json) -> bool {
    types(object).any(|it| {
        it.ends_with("Article")
            || matches!(
                it,
                "BlogPosting"
                    | "LiveBlogPosting"
                    | "SocialMediaPosting"
                    | "DiscussionForumPosting"
                    | "Report"
                    | "Review"
                    | "Recipe"
            )
    })
}

static NULL: Json = Json::Null;

impl std::ops::Index<&str> for Json {
    type Output = Json;

    /// `null` for a missing member.
    fn index(&self, key: &str) -> &Json {
        match self {
            Json::Object(object) => object.get(key).unwrap_or(&NULL),
            _ => &NULL,
        }
    }
}

impl Json {
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl Object {
    pub fn has_duplicate_keys(&self) -> bool {
        let mut keys: Vec<&str> = self.entries.iter().map(|it| it.0.as_str()).collect();
        keys.sort_unstable();
        keys.windows(2).any(|it| it[0] == it[1])
    }
}

fn is_json_ld(dom: &Dom, id: NodeId) -> bool {
    let written = dom.attribute(id, "type").unwrap_or_default();
    let essence = written.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/ld+json")
}

fn read_block(dom: &Dom, node: NodeId, budget: &Cell<usize>) -> Block {
    let place = dom.script_position(node).or(dom.position(node));
    let begins = place.unwrap_or(SourcePosition { line: 1, column: 1 });
    let text = text_of(dom, node);
    let (mut block, body) = (
        Block {
            node,
            begins,
            wrappers: Vec::new(),
            outcome: ParseOutcome::Empty,
        },
        &text,
    );
    if body.len() > MAX_BYTES {
        block.outcome = ParseOutcome::TooLarge;
        return block;
    }
    let (body, from) = wrapper::strip_wrappers(body, &mut block.wrappers);
    if body.is_empty() {
        return block;
    }
    block.begins = json::position_at(&text, from, begins);
    block.outcome = match json::read(body, budget) {
        Ok(json) => ParseOutcome::Json {
            json,
            positions: json::object_positions(body, block.begins),
        },
        Err(JsonError::TooDeep) => ParseOutcome::TooDeep,
        Err(JsonError::TooLarge) => ParseOutcome::TooLarge,
        Err(JsonError::Invalid { message, at }) => ParseOutcome::Invalid {
            message,
            position: json::position_at(body, at, block.begins),
            repaired: json::read(&repair::repair(body), budget).ok(),
        },
    };
    block
}

fn text_of(dom: &Dom, id: NodeId) -> String {
    let parts = dom.nodes[id].children.iter();
    let texts = parts.filter_map(|it| match &dom.nodes[*it].kind {
        Kind::Text(text) => Some(&**text),
        _ => None,
    });
    texts.collect()
}

#[cfg(test)]
mod tests;
