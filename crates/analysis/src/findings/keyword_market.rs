//! The keyword and the market in which it is measured, as records repeat them.

use super::envelope::Envelope;
use crate::{
    ToSchema,
    observation::search_page::{Device, SearchPage},
    provenance::{Provenance, RecordStatus},
    result_type::ResultType,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Which keyword of which project is measured, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackedKeyword {
    /// The project.
    pub project_id: i64,
    /// The keyword.
    pub keyword_id: i64,
    /// Its text as the owner wrote it.
    pub keyword: String,
    /// ISO 3166-1 alpha-2, lower case.
    pub country: String,
    /// A place inside the country.
    pub location: Option<String>,
    /// ISO 639-1, lower case.
    pub language: String,
    /// What the searcher holds in the hand.
    pub device: Device,
    /// Searches per month, when known.
    pub search_volume: Option<u64>,
}

/// The keyword and its market in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeywordMarket {
    /// The keyword as the owner wrote it.
    pub keyword: String,
    /// The search engine.
    pub engine: String,
    /// ISO 3166-1 alpha-2, lower case.
    pub country: String,
    /// A place inside the country.
    pub location: Option<String>,
    /// ISO 639-1, lower case.
    pub language: String,
    /// What the searcher held in the hand.
    pub device: Device,
}

/// What came of asking for a results page.
#[derive(Debug, Clone, Copy)]
pub enum Measurement<'a> {
    /// A page was seen.
    Seen(&'a SearchPage),
    /// No page was seen; nothing is claimed about the ranks.
    Failed(&'a FailedMeasurement),
}

/// A measurement that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedMeasurement {
    /// A stable code of the failure.
    pub code: String,
    /// When it failed.
    pub at: DateTime<Utc>,
    /// The engine that was asked for.
    pub engine: String,
    /// Who was asked, as a neutral label.
    pub provider: String,
    /// What the answer would have been.
    pub provenance: Provenance,
}

/// The code of a page that was a captcha or a consent form.
pub const BLOCKED: &str = "blocked";

impl Measurement<'_> {
    pub(crate) fn engine(&self) -> &str {
        match self {
            Self::Seen(page) => &page.engine,
            Self::Failed(failure) => &failure.engine,
        }
    }

    pub(crate) fn at(&self) -> DateTime<Utc> {
        match self {
            Self::Seen(page) => page.fetched_at,
            Self::Failed(failure) => failure.at,
        }
    }

    pub(crate) fn error(&self) -> Option<&str> {
        match self {
            Self::Seen(page) => page.is_blocked().then_some(BLOCKED),
            Self::Failed(failure) => Some(&failure.code),
        }
    }

    /// The envelope of a record that rests on this measurement.
    pub(crate) fn envelope(
        &self,
        result_type: ResultType,
        method_version: &str,
        keyword: &TrackedKeyword,
    ) -> Envelope {
        let (provider, provenance, warnings) = match self {
            Self::Seen(page) => (&page.provider, page.provenance, page.warnings.clone()),
            Self::Failed(failure) => (&failure.provider, failure.provenance, Vec::new()),
        };
        let error = self.error().map(str::to_owned);
        Envelope {
            result_type,
            project_id: keyword.project_id,
            keyword_id: Some(keyword.keyword_id),
            url: None,
            measured_at: self.at(),
            status: if error.is_some() {
                RecordStatus::Error
            } else {
                RecordStatus::Ok
            },
            sample_size: u32::from(error.is_none()),
            error,
            provenance,
            provider: Some(provider.clone()),
            method_version: method_version.to_owned(),
            warnings,
        }
    }
}

impl TrackedKeyword {
    pub(crate) fn on(&self, engine: &str) -> KeywordMarket {
        KeywordMarket {
            keyword: self.keyword.clone(),
            engine: engine.to_owned(),
            country: self.country.clone(),
            location: self.location.clone(),
            language: self.language.clone(),
            device: self.device,
        }
    }
}
