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
    /// Not declared; it was read as UTF-8.
    Default,
}

/// What closed the head before its end tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlyHeadEnd {
    /// Element name, or `#text`.
    pub element: String,
    /// `None` for text.
    pub line: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentFacts {
    pub has_doctype: bool,
    pub charset: String,
    pub charset_source: CharsetSource,
    /// Byte sequences invalid in that encoding, replaced by U+FFFD.
    #[serde(default)]
    pub replaced_sequences: u32,
    /// `html[lang]`, trimmed.
    pub lang: Option<String>,
    /// The first `base[href]`, as written.
    pub base: Option<String>,
    pub elements: u32,
    /// At most 50.
    pub duplicate_ids: Vec<String>,
    pub duplicate_id_count: u32,
    pub early_head_end: Option<EarlyHeadEnd>,
    /// The parser reached its limits: the rest was read without structure.
    pub parser_limit: bool,
    /// Links were dropped to limit memory.
    #[serde(default)]
    pub links_left_out: bool,
    /// Version of the extraction; facts of different versions are not mixed.
    #[serde(default)]
    pub extraction: u32,
}
