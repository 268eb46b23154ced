//! What a page says about itself: when it was published and changed, by whom, and on which site;
//! each with the source that says so.

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
    /// Text that readers see, in an element whose class says what it is or after a word that does.
    VisibleText,
    /// The page's URL.
    Url,
    /// The end of the page's title.
    Title,
}

/// What a date is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DateRole {
    /// First publication.
    Published,
    /// The last change.
    Modified,
    /// The page does not say.
    Unspecified,
}

/// A date that the page gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DateFact {
    /// What it is of.
    pub role: DateRole,
    /// Where it was read.
    pub source: FactSource,
    /// The day, in the page's own time zone.
    pub day: NaiveDate,
    /// The moment, where the page gives one with its distance to UTC.
    pub moment: Option<DateTime<FixedOffset>>,
    /// As written, shortened.
    pub text: String,
}

/// Somebody who wrote the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// The name, without "by" and the like.
    pub name: String,
    /// The author's page, absolute.
    pub url: Option<String>,
    /// Where the name was read.
    pub source: FactSource,
}

/// A text and where it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourcedText {
    /// The text, white space collapsed.
    pub text: String,
    /// Where it was read.
    pub source: FactSource,
}

/// What a page says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageMetadata {
    /// Dates, the most trusted source first, one for each role and source.
    pub dates: Vec<DateFact>,
    /// Authors, by the most trusted source that names any.
    pub authors: Vec<Author>,
    /// The line that names the authors, as written.
    pub byline: Option<SourcedText>,
    /// The name of the site.
    pub site_name: Option<SourcedText>,
}

impl PageMetadata {
    /// The days that `time` elements say.
    #[must_use]
    pub fn days_of_time_elements(&self) -> Vec<NaiveDate> {
        let said = { self.dates.iter() }.filter(|it| it.source == FactSource::TimeElement);
        said.map(|it| it.day).collect()
    }

    /// When the page was published, by its most trusted source; a date of which the page does not
    /// say what it is of counts where no other is known.
    #[must_use]
    pub fn published(&self) -> Option<&DateFact> {
        self.date(DateRole::Published)
            .or_else(|| self.date(DateRole::Unspecified))
    }

    /// When the page was last changed, by its most trusted source.
    #[must_use]
    pub fn modified(&self) -> Option<&DateFact> {
        self.date(DateRole::Modified)
    }

    /// The first date of the given role.
    #[must_use]
    pub fn date(&self, role: DateRole) -> Option<&DateFact> {
        self.dates.iter().find(|it| it.role == role)
    }

    /// A date that readers see.
    #[must_use]
    pub fn visible_date(&self) -> Option<&DateFact> {
        self.dates
            .iter()
            .find(|it| matches!(it.source, FactSource::VisibleText | FactSource::TimeElement))
    }
}
