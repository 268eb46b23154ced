//! Elements of a page that findings look at one by one.

use crate::observation::{
    vitals::ResourceKind,
    web_site::{LinkTarget, Placement},
};
use serde::{Deserialize, Serialize};

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text, white space collapsed, at most 300 characters; what stands for images where it
    /// has no other. `None` if it says nothing.
    pub text: Option<String>,
    /// Whether the text only stands for images.
    pub is_image_alt: bool,
    /// Where it stands.
    pub line: u32,
}

/// An image.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Where it is, normalised; `None` without `src`, or with one that is not of the web (`data:`).
    pub url: Option<String>,
    /// `alt`, trimmed, at most 500 characters; empty for decoration, `None` where it is missing.
    pub alt: Option<String>,
    /// Whether it needs no `alt`: hidden from assistants, for decoration by its role, or named by
    /// `aria-label`, `aria-labelledby` or `title`.
    pub is_named_otherwise: bool,
    /// `width`, in px.
    pub width: Option<u32>,
    /// `height`, in px.
    pub height: Option<u32>,
    /// Whether attributes or its own style say how much room it needs. Style sheets are not read.
    pub has_size: bool,
    /// Whether it stands in a `picture`.
    pub in_picture: bool,
    /// Whether it stands in a link.
    pub in_link: bool,
    /// Whether it stands in the main text.
    pub in_main_text: bool,
    /// Whether it is loaded when it comes into view.
    pub is_lazy: bool,
    /// The part of the page.
    pub placement: Placement,
    /// Where it stands.
    pub line: u32,
}

/// An anchor that leads nowhere a robot could go (Lighthouse's audit `crawlable-anchors`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UncrawlableAnchor {
    /// `href`, as written, at most 200 characters; empty where it is missing.
    pub raw: String,
    /// Its text.
    pub text: Option<String>,
    /// Where it stands.
    pub line: u32,
}

/// A link with `target=_blank` to another host without `noopener` or `noreferrer`. Browsers of today
/// protect the page all the same; old ones do not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnprotectedWindow {
    /// Where it leads, normalised.
    pub url: String,
    /// Where it stands.
    pub line: u32,
}

/// A form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Form {
    /// Where it is sent; the page itself where it does not say.
    pub target: LinkTarget,
    /// `get`, `post` or `dialog`.
    pub method: String,
    /// Whether it asks for a password.
    pub has_password: bool,
    /// Whether it asks for an e-mail address or a longer text, as forms for contact do.
    pub has_message: bool,
    /// Where it stands.
    pub line: u32,
}

/// A script or a style sheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageFile {
    /// Where it is, normalised.
    pub url: String,
    /// Script or style sheet.
    pub kind: ResourceKind,
    /// Whether nothing is painted before it is there.
    pub blocks_rendering: bool,
    /// Whether `integrity` says what it has to be.
    pub has_integrity: bool,
    /// `crossorigin`, as written; empty for the attribute alone.
    pub crossorigin: Option<String>,
}

/// What a page is made of.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Structure {
    /// Ordered lists of two items and more, in the main text.
    pub ordered_lists: u32,
    /// Other lists of two items and more, in the main text.
    pub unordered_lists: u32,
    /// `dl` elements in the main text.
    pub definition_lists: u32,
    /// Tables of two rows and more, in the main text.
    pub tables: u32,
    /// `pre` elements in the main text.
    pub preformatted: u32,
    /// There is a `main`, or a `role` that says so.
    pub has_main: bool,
    /// There is an `article`.
    pub has_article: bool,
    /// There is a `nav`, or a `role` that says so.
    pub has_navigation: bool,
    /// `iframe` elements.
    pub frames: u32,
    /// `video` and `audio` elements.
    pub media: u32,
    /// `picture` elements without an `img`.
    pub pictures_without_image: u32,
    /// Elements inside of the head.
    pub head_elements: u32,
    /// Scripts without a source and not for data, in bytes of their text.
    pub inline_script_bytes: u32,
    /// There is an element that frameworks fill by scripts, and nothing but a placeholder is in it.
    #[serde(default)]
    pub has_empty_root: bool,
    /// A `noscript` speaks of JavaScript.
    #[serde(default)]
    pub asks_for_scripts: bool,
}
