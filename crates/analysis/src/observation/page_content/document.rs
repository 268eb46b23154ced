//! The document as a whole.

use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// Who said in which encoding the document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CharsetSource {
    /// A byte order mark.
    ByteOrderMark,
    /// The `Content-Type` header.
    Header,
    /// A `meta` in the first 1,024 bytes.
    Meta,
    /// Nobody; it was read as UTF-8.
    Default,
}

/// What ended the head before its end tag, so that what follows stands in the body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlyHeadEnd {
    /// The element's name, or `#text`.
    pub element: String,
    /// Where it begins; `None` for text.
    pub line: Option<u32>,
}

/// The document as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentFacts {
    /// Whether it begins with a doctype.
    pub has_doctype: bool,
    /// The encoding it was read in.
    pub charset: String,
    /// Who said so.
    pub charset_source: CharsetSource,
    /// Places where bytes are none of that encoding; U+FFFD stands there.
    #[serde(default)]
    pub replaced_sequences: u32,
    /// `html[lang]`, trimmed.
    pub lang: Option<String>,
    /// The first `base[href]`, as written.
    pub base: Option<String>,
    /// Elements of the parsed document.
    pub elements: u32,
    /// `id`s that more than one element has; at most 50 are named.
    pub duplicate_ids: Vec<String>,
    /// How many `id`s more than one element has.
    pub duplicate_id_count: u32,
    /// What ended the head too early.
    pub early_head_end: Option<EarlyHeadEnd>,
    /// Whether the parser reached its limits, so that the end of the page is read without
    /// structure.
    pub parser_limit: bool,
    /// Whether links were left out because of what they or their elements take.
    #[serde(default)]
    pub links_left_out: bool,
    /// The version of the reader that read it: what an earlier one read is not mixed with what this
    /// one reads.
    #[serde(default)]
    pub extraction: u32,
}
