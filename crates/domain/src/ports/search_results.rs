use super::paid_call_ledger::PaidCallLedger;
use crate::{money::MicroUsd, results::SearchSource};
use analysis::observation::search_page::{Device, SearchPage};
use analysis::provenance::Provenance;
use async_trait::async_trait;
use chrono::NaiveDate;
use std::{fmt, sync::Arc, time::Duration};
use thiserror::Error;

/// The operation's name in metrics, server notes and breakers.
pub const OPERATION: &str = "searchPage";

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SearchQuery {
    /// The keyword as the owner wrote it.
    pub keyword: String,
    /// ISO 3166-1 alpha-2, lower case, for example `de`.
    pub country: String,
    /// ISO 639-1, lower case, for example `de`.
    pub language: String,
    pub device: Device,
    /// A location within the country, for example `Berlin`.
    pub location: Option<String>,
    /// Number of organic results wanted; suppliers fetch further pages until they have them or run out.
    pub depth: u32,
    /// The measured day; a simulated market answers for that day.
    pub day: NaiveDate,
    /// The owner's site. Real suppliers ignore it; the sandbox includes it in its results.
    pub site: String,
}

/// Labels of a supplier; safe to show to users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierLabel {
    /// Neutral name, for example `sandbox` or `web search`.
    pub name: String,
    /// For example `google`; series of different engines are never joined.
    pub engine: String,
    pub provenance: Provenance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls made, retries included.
    pub calls: u64,
    /// Cost reported by the supplier, else by the configured price. A call that may have been
    /// billed counts as billed.
    pub cost: MicroUsd,
    /// Those of the calls that are in the ledger, which charges them to the job.
    pub ledger_calls: u64,
}

impl Spent {
    pub fn on(calls: u64, price: MicroUsd) -> Self {
        let count = i64::try_from(calls).unwrap_or(i64::MAX);
        Self {
            calls,
            cost: MicroUsd(price.0.saturating_mul(count)),
            ledger_calls: 0,
        }
    }

    /// The same, with all calls in the ledger.
    #[must_use]
    pub const fn all_in_ledger(self) -> Self {
        Self {
            ledger_calls: self.calls,
            ..self
        }
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            cost: MicroUsd(self.cost.0.saturating_add(other.cost.0)),
            ledger_calls: self.ledger_calls.saturating_add(other.ledger_calls),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct SearchOutcome {
    pub answer: Result<SearchPage, ProviderError>,
    /// Why the page has fewer results than requested, if a later call failed.
    pub truncated_by: Option<ProviderError>,
    /// Includes failed searches.
    pub spent: Spent,
}

impl SupplierLabel {
    pub fn source(&self) -> SearchSource {
        SearchSource {
            engine: self.engine.clone(),
            provenance: self.provenance,
        }
    }
}

/// Fetches search pages. A valid answer without results is an empty page, never an error; an
/// error is never an empty page.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SearchResults: Send + Sync {
    fn label(&self) -> SupplierLabel;
    /// Maximum calls and cost of a search of that depth with any supplier; reserved in advance.
    fn max_spend(&self, depth: u32) -> Spent;
    /// Why paid calls are refused; `None` if a supplier may be queried.
    fn paid_call_refusal(&self, depth: u32) -> Option<PaidCallRefusal>;
    /// Records each paid call in the ledger before making it; makes no call that the ledger refuses.
    async fn search(&self, query: &SearchQuery, ledger: &Arc<dyn PaidCallLedger>) -> SearchOutcome;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidCallRefusal {
    SwitchedOff,
    /// The price of one call exceeds the limit per call.
    TooExpensive {
        price: MicroUsd,
        limit: MicroUsd,
    },
    PriceUnknown,
}

impl PaidCallRefusal {
    pub const fn hint(self) -> &'static str {
        match self {
            Self::SwitchedOff => {
                "Ask the operator to allow calls that cost money (the settings search.paid_calls and ai.paid_calls), or to set a supplier that costs nothing."
            }
            Self::TooExpensive { .. } => {
                "Ask the operator to raise search.most_per_call, for AI engines ai.most_per_call, or to lower search.depth."
            }
            Self::PriceUnknown => {
                "Ask the operator to set the supplier's price (search.….price_per_call or price_per_page, ai.….price_per_million_input and output)."
            }
        }
    }
}

impl fmt::Display for PaidCallRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SwitchedOff => f.write_str("calls that cost money are switched off"),
            Self::TooExpensive { price, limit } => write!(
                f,
                "a call can cost {price} {0}, and may cost {limit} {0}",
                MicroUsd::CURRENCY
            ),
            Self::PriceUnknown => f.write_str("the price of a call is unknown"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProviderError {
    #[error("the supplier does not accept the credentials")]
    Unauthorized,
    #[error("the supplier's account is used up")]
    OutOfFunds,
    /// The job's budget is used up; the supplier was not queried.
    #[error("the job's budget is used up")]
    JobBudgetReached,
    /// Paid calls are refused; the call was not made.
    #[error("{0}")]
    PaidCallRefused(PaidCallRefusal),
    /// The paid call could not be recorded in the ledger; it was not made.
    #[error("the paid call could not be recorded in the ledger")]
    NotRecorded {
        /// The cause, for the operator only.
        reason: String,
    },
    #[error("the supplier asks to slow down")]
    RateLimited { retry_after: Option<Duration> },
    /// The supplier was unreachable, answered with a server error, or its breaker is open.
    #[error("the supplier is not available")]
    Unavailable,
    #[error("the supplier did not answer in time")]
    TimedOut,
    #[error("the supplier's answer cannot be read")]
    Malformed {
        /// What is wrong with it, without the answer itself. For the operator's log only.
        problem: String,
    },
    /// The supplier understood and refused.
    #[error("the supplier refused the query")]
    Refused {
        /// The supplier's reason, truncated, without credentials. For the operator's log only.
        reason: String,
    },
}

impl ProviderError {
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Unavailable
            | Self::TimedOut
            | Self::NotRecorded { .. }
            | Self::Malformed { .. } => true,
            Self::Unauthorized
            | Self::OutOfFunds
            | Self::JobBudgetReached
            | Self::PaidCallRefused(_)
            | Self::Refused { .. } => false,
        }
    }

    /// Whether every further query fails the same way until a person intervenes.
    pub const fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::Unauthorized
                | Self::OutOfFunds
                | Self::JobBudgetReached
                | Self::PaidCallRefused(_)
        )
    }

    /// A stable code for records and problem documents.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unauthorized => "supplierUnauthorised",
            Self::OutOfFunds => "supplierOutOfFunds",
            Self::JobBudgetReached => "jobBudgetReached",
            Self::PaidCallRefused(PaidCallRefusal::SwitchedOff) => "paidCallsSwitchedOff",
            Self::PaidCallRefused(PaidCallRefusal::TooExpensive { .. }) => "callTooDear",
            Self::PaidCallRefused(PaidCallRefusal::PriceUnknown) => "priceUnknown",
            Self::NotRecorded { .. } => "callNotWrittenDown",
            Self::RateLimited { .. } => "supplierRateLimited",
            Self::Unavailable => "supplierUnavailable",
            Self::TimedOut => "supplierTimedOut",
            Self::Malformed { .. } => "supplierMalformed",
            Self::Refused { .. } => "supplierRefused",
        }
    }
}
