//! Links of a page: what they say, where they lead, where they stand.

use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LinkTarget {
    /// A page or resource of the web.
    Web {
        /// The normalised URL without its fragment.
        url: String,
        /// The fragment as written, without `#`.
        fragment: Option<String>,
    },
    /// The attribute is there and empty.
    Empty,
    /// Not a URL.
    Invalid,
    /// What follows `mailto:`.
    Mail(String),
    /// What follows `tel:` or `sms:`.
    Phone(String),
    /// `javascript:`, `data:`, `blob:`, `about:`: nothing to fetch.
    Inert,
    /// A scheme that is not checked.
    OtherScheme(String),
}

/// Where a link stands in its page.
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
    /// Navigation, header, side bar, and what stands in the head of the document.
    Navigation,
    /// The footer.
    Footer,
}

/// One link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLink {
    /// The attribute's text, shortened to 2,048 characters.
    pub raw: String,
    /// Where it leads.
    pub target: LinkTarget,
    /// The element's name.
    pub element: String,
    /// The attribute's name; `style` for a `url()` in a style sheet.
    pub attribute: String,
    /// The `rel` attribute.
    pub rel: Option<String>,
    /// The link's text, or the text that stands for an image.
    pub text: Option<String>,
    /// Where it stands.
    pub position: Position,
    /// What part of the page it belongs to.
    pub placement: Placement,
    /// Whether it stands in the page's main text.
    #[serde(default)]
    pub in_main_text: bool,
}

impl PageLink {
    /// Whether a reader follows it, so that its fragment matters.
    #[must_use]
    pub fn is_followed_by_readers(&self) -> bool {
        matches!(self.element.as_str(), "a" | "area")
    }

    /// Whether the browser loads it as part of the page, so that `http` on an `https` page is
    /// mixed content.
    #[must_use]
    pub fn is_loaded_with_the_page(&self) -> bool {
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

    /// Whether robots are asked not to count it (Google: `nofollow`, `ugc`, `sponsored`).
    #[must_use]
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

    /// Whether it may lead to another page of the site, as opposed to an image or a script.
    #[must_use]
    pub fn may_lead_to_a_page(&self) -> bool {
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
