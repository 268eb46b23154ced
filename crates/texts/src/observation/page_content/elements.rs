use crate::observation::links::{LinkTarget, Placement};
use crate::observation::vitals::ResourceKind;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// White space collapsed, at most 300 characters; `alt` texts if there is no other. `None` if empty.
    pub text: Option<String>,
    pub is_image_alt: bool,
    pub line: u32,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Normalized; `None` without `src`, or for `data:` and similar URLs.
    pub url: Option<String>,
    /// Trimmed, at most 500 characters; empty for decoration, `None` if missing.
    pub alt: Option<String>,
    /// Needs no `alt`: `aria-hidden`, decorative by role, or with `aria-label`, `aria-labelledby` or `title`.
    pub is_named_otherwise: bool,
    /// px.
    pub width: Option<u32>,
    /// px.
    pub height: Option<u32>,
    /// By attributes or inline style; style sheets are not read.
    pub has_size: bool,
    pub in_picture: bool,
    pub in_link: bool,
    pub in_main_text: bool,
    pub is_lazy: bool,
    pub placement: Placement,
    pub line: u32,
}

/// Not followed by robots (Lighthouse's audit `crawlable-anchors`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UncrawlableAnchor {
    /// `href` as written, at most 200 characters; empty if missing.
    pub raw: String,
    pub text: Option<String>,
    pub line: u32,
}

/// `target=_blank` to another host without `noopener` or `noreferrer`; harmless in current browsers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnprotectedWindow {
    /// Normalized.
    pub url: String,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Form {
    /// By default the page itself.
    pub target: LinkTarget,
    /// `get`, `post` or `dialog`.
    pub method: String,
    pub has_password: bool,
    /// Has a field for an e-mail address or a longer text, as contact forms do.
    pub has_message: bool,
    pub line: u32,
}

/// A script or a style sheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageFile {
    /// Normalized.
    pub url: String,
    pub kind: ResourceKind,
    /// Blocks the first paint until loaded.
    pub blocks_rendering: bool,
    pub has_integrity: bool,
    /// As written; empty for the attribute without a value.
    pub crossorigin: Option<String>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Structure {
    /// In the main text, with two items or more.
    pub ordered_lists: u32,
    /// In the main text, with two items or more.
    pub unordered_lists: u32,
    /// `dl` in the main text.
    pub definition_lists: u32,
    /// In the main text, with two rows or more.
    pub tables: u32,
    /// `pre` in the main text.
    pub preformatted: u32,
    /// `main` or its role.
    pub has_main: bool,
    pub has_article: bool,
    /// `nav` or its role.
    pub has_navigation: bool,
    /// `iframe`.
    pub frames: u32,
    /// `video` and `audio`.
    pub media: u32,
    pub pictures_without_image: u32,
    pub head_elements: u32,
    /// Text of scripts without a source, data blocks excluded.
    pub inline_script_bytes: u32,
    /// The root element of a framework, empty except for a placeholder.
    #[serde(default)]
    pub has_empty_root: bool,
    /// In `noscript`.
    #[serde(default)]
    #[serde(rename = "asks_for_scripts")]
    pub requires_scripts: bool,
}
