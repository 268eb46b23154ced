//! What stands in the head of a document, or should.

use serde::{Deserialize, Serialize};

/// Where something was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TagSource {
    /// An element in the `head`.
    Head,
    /// An element outside of the `head`.
    Body,
    /// A header of the answer.
    Header,
}

/// The text of an element, and where that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedText {
    /// White space collapsed, at most 1,000 characters; may be empty.
    pub text: String,
    /// Where it stands.
    pub source: TagSource,
}

/// Which attribute names a `meta`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MetaKey {
    /// `name`.
    Name,
    /// `http-equiv`.
    HttpEquiv,
    /// `property`.
    Property,
    /// `itemprop`.
    ItemProp,
}

/// A `meta` element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// Which attribute names it.
    pub key: MetaKey,
    /// The name, in lower case.
    pub name: String,
    /// The content, white space collapsed, at most 2,000 characters; may be empty.
    pub content: String,
    /// Where it stands.
    pub source: TagSource,
}

/// What the page says its canonical URL is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Canonical {
    /// As written.
    pub raw: String,
    /// The normalised URL without its fragment; `None` if it is none of the web.
    pub url: Option<String>,
    /// Whether it was written with scheme and host.
    pub is_absolute: bool,
    /// Whether it has a fragment.
    pub has_fragment: bool,
    /// Where it stands.
    pub source: TagSource,
}

impl Canonical {
    /// Whether search engines look at it: those in the body are ignored.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.source != TagSource::Body
    }
}

/// The page in another language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hreflang {
    /// The language tag or `x-default`, as written.
    pub code: String,
    /// The address, as written.
    pub raw: String,
    /// The normalised URL; `None` if it is none of the web.
    pub url: Option<String>,
    /// Whether it was written with scheme and host.
    pub is_absolute: bool,
    /// Where it stands; search engines ignore those in the body.
    pub source: TagSource,
}

/// An order to load something after a while.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refresh {
    /// After so many seconds.
    pub seconds: f64,
    /// What, normalised; `None` is the page itself.
    pub url: Option<String>,
    /// Where it was said.
    pub source: TagSource,
}
