use super::envelope::Envelope;
use crate::ToSchema;
use crate::observation::search_page::{Device, SearchPage};
use crate::provenance::{Provenance, RecordStatus};
use crate::result_type::ResultType;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackedKeyword {
    pub project_id: i64,
    pub keyword_id: i64,
    /// As the owner wrote it.
    pub keyword: String,
    /// ISO 3166-1 alpha-2, lower case.
    pub country: String,
    pub location: Option<String>,
    /// ISO 639-1, lower case.
    pub language: String,
    pub device: Device,
    /// Searches per month.
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

#[derive(Debug, Clone, Copy)]
pub enum Measurement<'a> {
    Seen(&'a SearchPage),
    /// Ranks are unknown.
    Failed(&'a FailedMeasurement),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedMeasurement {
    pub code: String,
    pub at: DateTime<Utc>,
    pub engine: String,
    pub provider: String,
    /// The provenance that a page would have had.
    pub provenance: Provenance,
}

/// The page was a captcha or consent form.
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
    pub(crate) fn market_on(&self, engine: &str) -> KeywordMarket {
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
