use crate::ToSchema;
use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};

/// Where a fact was read, the most trusted first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum FactSource {
    /// JSON-LD of an article or page.
    JsonLd,
    /// A `meta` element.
    Meta,
    /// Microdata in the page's body.
    Microdata,
    /// A `time` element.
    TimeElement,
    /// A link with `rel=author`.
    AuthorLink,
    /// Visible text, identified by the class of its element or by the word before it.
    VisibleText,
    /// The page's URL.
    Url,
    /// The end of the page's title.
    Title,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DateRole {
    Published,
    Modified,
    Unspecified,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DateFact {
    pub role: DateRole,
    pub source: FactSource,
    /// In the page's time zone.
    pub day: NaiveDate,
    /// If the page gives a UTC offset.
    pub moment: Option<DateTime<FixedOffset>>,
    /// As written, truncated.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// Without prefixes such as "by".
    pub name: String,
    /// Absolute; the author's page.
    pub url: Option<String>,
    pub source: FactSource,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourcedText {
    /// White space collapsed.
    pub text: String,
    pub source: FactSource,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageMetadata {
    /// Most trusted source first, one per role and source.
    pub dates: Vec<DateFact>,
    /// From the most trusted source that has any.
    pub authors: Vec<Author>,
    /// As written.
    pub byline: Option<SourcedText>,
    pub site_name: Option<SourcedText>,
}

impl PageMetadata {
    pub fn days_of_time_elements(&self) -> Vec<NaiveDate> {
        let time_elements = { self.dates.iter() }.filter(|it| it.source == FactSource::TimeElement);
        time_elements.map(|it| it.day).collect()
    }

    /// From the most trusted source; falls back to a date of unspecified role.
    pub fn published(&self) -> Option<&DateFact> {
        self.date(DateRole::Published)
            .or_else(|| self.date(DateRole::Unspecified))
    }

    /// From the most trusted source.
    pub fn modified(&self) -> Option<&DateFact> {
        self.date(DateRole::Modified)
    }

    pub fn date(&self, role: DateRole) -> Option<&DateFact> {
        self.dates.iter().find(|it| it.role == role)
    }

    pub fn visible_date(&self) -> Option<&DateFact> {
        self.dates
            .iter()
            .find(|it| matches!(it.source, FactSource::VisibleText | FactSource::TimeElement))
    }
}
