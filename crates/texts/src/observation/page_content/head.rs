use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TagSource {
    Head,
    /// Outside the `head`.
    Body,
    Header,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedText {
    /// White space collapsed, at most 1,000 characters; may be empty.
    pub text: String,
    pub source: TagSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MetaKey {
    Name,
    HttpEquiv,
    Property,
    ItemProp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    pub key: MetaKey,
    /// Lower case.
    pub name: String,
    /// White space collapsed, at most 2,000 characters; may be empty.
    pub content: String,
    pub source: TagSource,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Canonical {
    pub raw: String,
    /// Normalized, without fragment; `None` unless `http` or `https`.
    pub url: Option<String>,
    /// With scheme and host.
    pub is_absolute: bool,
    pub has_fragment: bool,
    pub source: TagSource,
}

impl Canonical {
    /// Search engines ignore those in the body.
    pub fn is_effective(&self) -> bool {
        self.source != TagSource::Body
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hreflang {
    /// Language tag or `x-default`, as written.
    pub code: String,
    pub raw: String,
    /// Normalized; `None` unless `http` or `https`.
    pub url: Option<String>,
    pub is_absolute: bool,
    /// Search engines ignore those in the body.
    pub source: TagSource,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refresh {
    pub seconds: f64,
    /// Normalized; `None`: the page itself.
    pub url: Option<String>,
    pub source: TagSource,
}
