use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// What a file is for; the names are those of Lighthouse's resource summary.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum ResourceKind {
    /// The page, and pages in frames.
    Document,
    /// A style sheet.
    Stylesheet,
    /// A script.
    Script,
    /// An image.
    Image,
    /// A font.
    Font,
    /// Sound or film.
    Media,
    /// Anything else.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceFact {
    pub url: String,
    pub kind: ResourceKind,
    /// `None` without a response.
    pub status: Option<u16>,
    /// On the wire, with headers if a browser counts them; `None`: unknown.
    pub transfer_bytes: Option<u64>,
    pub is_compressed: bool,
    /// Size as gzip; `None` if not tried.
    pub gzip_bytes: Option<u64>,
    /// Freshness lifetime in seconds (RFC 9111); `None` without headers for it, 0 if caching is forbidden.
    pub fresh_for: Option<u64>,
    /// Blocks the first paint until loaded.
    pub blocks_rendering: bool,
}
