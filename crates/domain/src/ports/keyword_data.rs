use super::call_journal::CallJournal;
use super::search_results::{ProviderError, Spent, Unpaid};
use analysis::{observation::keyword_research::ResearchedKeyword, provenance::Provenance};
use async_trait::async_trait;
use chrono::NaiveDate;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeywordQuery {
    /// The keyword as somebody wrote it.
    pub keyword: String,
    /// ISO 3166-1 alpha-2, lower case.
    pub country: String,
    /// ISO 639-1, lower case.
    pub language: String,
    /// Today: a simulated market answers for that day.
    pub day: NaiveDate,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordDataLabel {
    /// A neutral name, for example `sandbox` or `keyword data`.
    pub name: String,
    pub provenance: Provenance,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Researched {
    pub answer: Result<ResearchedKeyword, ProviderError>,
    /// Also of a question that failed.
    pub spent: Spent,
}

/// Tells what is known of keywords. A keyword of which nothing is known is an answer without
/// figures, never an error; an error is never an answer without figures.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait KeywordData: Send + Sync {
    fn label(&self) -> KeywordDataLabel;
    /// What a question takes at the most: what has to be set aside for it.
    fn most(&self) -> Spent;
    /// Why nobody may be asked; `None` while somebody may.
    fn unpaid(&self) -> Option<Unpaid>;
    /// Asks, and waits for the answer, less than [`Flight::LEASE`](crate::keyword_research::Flight::LEASE).
    /// Each call that costs money is written down in the journal before it is made.
    async fn research(&self, query: &KeywordQuery, journal: &Arc<dyn CallJournal>) -> Researched;
}
