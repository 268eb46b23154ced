use crate::ToSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Discovery {
    Start,
    Link,
    /// Not linked before it was found there.
    Sitemap,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LinkTarget {
    Web {
        /// Normalized, without fragment.
        url: String,
        /// As written, without `#`.
        fragment: Option<String>,
    },
    /// The attribute is empty.
    Empty,
    Invalid,
    /// Text after `mailto:`.
    Mail(String),
    /// Text after `tel:` or `sms:`.
    Phone(String),
    /// `javascript:`, `data:`, `blob:`, `about:`: nothing to fetch.
    Inert,
    /// Not checked.
    OtherScheme(String),
}

/// Where a link is in its page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// Line of the tag's `<`, from 1.
    pub line: u32,
    /// Column of the tag's `<` in characters, from 1.
    pub column: u32,
    /// A CSS selector that finds the element in the parsed page.
    pub css_path: String,
}

/// What part of the page a link belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Placement {
    /// The text of the page.
    Content,
    /// Navigation, header, side bar, and the head of the document.
    Navigation,
    /// The footer.
    Footer,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLink {
    /// As written, at most 2,048 characters.
    pub raw: String,
    pub target: LinkTarget,
    pub element: String,
    /// `style` for a `url()` in a style sheet.
    pub attribute: String,
    pub rel: Option<String>,
    /// Or the alternative text of an image.
    pub text: Option<String>,
    pub position: Position,
    pub placement: Placement,
    #[serde(default)]
    pub in_main_text: bool,
}

impl PageLink {
    /// Only then the fragment matters.
    pub fn is_navigable(&self) -> bool {
        matches!(self.element.as_str(), "a" | "area")
    }

    /// Then `http` on an `https` page is mixed content.
    pub fn is_subresource(&self) -> bool {
        match self.element.as_str() {
            "img" | "source" | "video" | "audio" | "track" | "iframe" | "script" | "object"
            | "embed" | "style" | "input" => true,
            "link" => self.rel.as_deref().is_some_and(|rel| {
                rel.split_ascii_whitespace().any(|it| {
                    it.eq_ignore_ascii_case("stylesheet") || it.eq_ignore_ascii_case("icon")
                })
            }),
            _ => false,
        }
    }

    /// `nofollow`, `ugc` or `sponsored` (Google).
    pub fn is_nofollow(&self) -> bool {
        let mut words = self
            .rel
            .as_deref()
            .unwrap_or_default()
            .split_ascii_whitespace();
        words.any(|it| {
            ["nofollow", "ugc", "sponsored"]
                .iter()
                .any(|hint| it.eq_ignore_ascii_case(hint))
        })
    }

    /// False for images, scripts and other resources.
    pub fn may_target_page(&self) -> bool {
        match self.element.as_str() {
            "a" | "area" | "iframe" | "meta" => true,
            "link" => self.rel.as_deref().is_some_and(|rel| {
                rel.split_ascii_whitespace().any(|it| {
                    ["canonical", "alternate", "next", "prev"]
                        .iter()
                        .any(|page_rel| it.eq_ignore_ascii_case(page_rel))
                })
            }),
            _ => false,
        }
    }
}
