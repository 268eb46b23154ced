//! One file that a page loads.

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

/// What is known of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceFact {
    /// Its URL.
    pub url: String,
    /// What it is for.
    pub kind: ResourceKind,
    /// The status; `None` without an answer.
    pub status: Option<u16>,
    /// Bytes on the wire, headers included where a browser counts them; `None` is unknown.
    pub transfer_bytes: Option<u64>,
    /// Whether it came compressed.
    pub is_compressed: bool,
    /// How long it would be as gzip; `None` where nobody tried.
    pub gzip_bytes: Option<u64>,
    /// Seconds for which it may be kept without asking (RFC 9111); `None` when the server says
    /// nothing, 0 when it forbids.
    pub fresh_for: Option<u64>,
    /// Whether nothing is painted before it is there.
    pub blocks_rendering: bool,
}
