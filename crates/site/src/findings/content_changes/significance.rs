use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// A fact of a page that is compared.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum ChangedField {
    /// The status of the last answer, or what came instead of one.
    StatusCode,
    /// The media type of the last response, where that is not a page.
    ContentType,
    /// What robots.txt says of the page.
    RobotsTxt,
    /// Where redirects ended.
    FinalUrl,
    /// Answers on the way there.
    RedirectChain,
    /// Whether search engines may list it.
    Indexable,
    /// Robots directives in elements and headers.
    Robots,
    /// The page that counts instead.
    Canonical,
    /// The page in other languages.
    Hreflang,
    /// The title.
    Title,
    /// The description.
    MetaDescription,
    /// First-level headings.
    H1,
    /// All other headings.
    Headings,
    /// The main text.
    MainText,
    /// Its words.
    WordCount,
    /// Types and values of structured data.
    StructuredData,
    /// Links to the site's own pages.
    InternalLinks,
    /// Links to other sites.
    ExternalLinks,
    /// Sources and texts of images.
    Images,
    /// Open Graph and Twitter's cards.
    SocialCards,
    /// `html[lang]`.
    Lang,
    /// Links to the page from pages of the site.
    Inlinks,
    /// Links away from the start.
    Depth,
    /// Headers of security and caching.
    Headers,
    /// Time to the first byte.
    Ttfb,
    /// Bytes of the document.
    BodyBytes,
}

impl ChangedField {
    /// Whether the value depends on the extraction version. Add fields that a new `EXTRACTION_VERSION` of the
    /// crate `crawler` reads differently.
    pub const fn depends_on_extraction(self) -> bool {
        matches!(
            self,
            Self::MainText | Self::WordCount | Self::StructuredData | Self::H1 | Self::Headings
        )
    }

    /// Weight of the field, 0 to 1: our judgment; no published weights exist (docs/measurement/content-changes.md). A
    /// field of weight 0 is not a change: it follows from another field, or differs with every visit.
    pub const fn weight(self) -> f64 {
        match self {
            Self::StatusCode
            | Self::ContentType
            | Self::RobotsTxt
            | Self::FinalUrl
            | Self::Indexable
            | Self::Robots
            | Self::Canonical => 1.0,
            Self::MainText => 0.6,
            Self::Title => 0.5,
            Self::Hreflang => 0.4,
            Self::H1 | Self::StructuredData => 0.35,
            Self::MetaDescription | Self::InternalLinks | Self::Headings => 0.25,
            Self::ExternalLinks => 0.15,
            Self::Images | Self::SocialCards | Self::Headers | Self::Lang => 0.1,
            Self::RedirectChain
            | Self::WordCount
            | Self::Inlinks
            | Self::Depth
            | Self::Ttfb
            | Self::BodyBytes => 0.0,
        }
    }
}

/// 100·(1 − Π(1 − w·d)) over pairs of weight and magnitude, both 0 to 1.
pub fn significance(parts: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let unmoved: f64 = parts
        .into_iter()
        .map(|(weight, magnitude)| 1.0 - weight * magnitude)
        .product();
    100.0 * (1.0 - unmoved)
}

/// A change in one word.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum ChangeClass {
    /// Nothing that weighs anything.
    #[default]
    None,
    /// Below 5.
    Trivial,
    /// Below 20.
    Minor,
    /// Below 50.
    Moderate,
    /// From 50 on, and whatever takes the page out of search.
    Major,
}

impl ChangeClass {
    pub fn of(significance: f64) -> Self {
        match significance {
            it if it <= 0.0 => Self::None,
            it if it < 5.0 => Self::Trivial,
            it if it < 20.0 => Self::Minor,
            it if it < 50.0 => Self::Moderate,
            _ => Self::Major,
        }
    }
}
