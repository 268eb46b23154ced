use super::paid_call_ledger::PaidCallLedger;
use super::search_results::{PaidCallRefusal, ProviderError, Spent};
use analysis::{observation::keyword_research::ResearchedKeyword, provenance::Provenance};
use async_trait::async_trait;
use chrono::NaiveDate;
use std::sync::Arc;

/// The operation's name in metrics, server notes and breakers.
pub const OPERATION: &str = "keywords";

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeywordQuery {
    /// The keyword as written by a person.
    pub keyword: String,
    /// ISO 3166-1 alpha-2, lower case.
    pub country: String,
    /// ISO 639-1, lower case.
    pub language: String,
    /// Today; a simulated market answers for that day.
    pub day: NaiveDate,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordDataLabel {
    /// Neutral name, for example `sandbox` or `keyword data`.
    pub name: String,
    pub provenance: Provenance,
}

#[derive(Debug, Clone, PartialEq)]
pub struct KeywordDataOutcome {
    pub answer: Result<ResearchedKeyword, ProviderError>,
    /// Includes failed queries.
    pub spent: Spent,
}

/// Looks up keyword metrics. An unknown keyword gives an answer without metrics, never an error; an
/// error is never reported as such an answer.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait KeywordData: Send + Sync {
    fn label(&self) -> KeywordDataLabel;
    /// Maximum calls and cost of a query; reserved in advance.
    fn max_spend(&self) -> Spent;
    /// Why paid calls are refused; `None` if the supplier may be queried.
    fn paid_call_refusal(&self) -> Option<PaidCallRefusal>;
    /// Takes less than [`Flight::LEASE`](crate::keyword_research::Flight::LEASE). Records each paid
    /// call in the ledger before making it.
    async fn research(
        &self,
        query: &KeywordQuery,
        ledger: &Arc<dyn PaidCallLedger>,
    ) -> KeywordDataOutcome;
}
