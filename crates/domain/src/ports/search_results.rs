use super::call_journal::CallJournal;
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
    /// A place inside the country, for example `Berlin`.
    pub location: Option<String>,
    /// How many organic results to look at; suppliers page until they have them or run out.
    pub depth: u32,
    /// The day that is measured; a simulated market answers for that day.
    pub day: NaiveDate,
    /// The site the owner cares about. Real suppliers ignore it; the sandbox gives it a place.
    pub site: String,
}

/// Who answers, in words that may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupplierLabel {
    /// A neutral name, for example `sandbox` or `web search`.
    pub name: String,
    /// For example `google`; series of different engines are never joined.
    pub engine: String,
    pub provenance: Provenance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls that were made, repeated ones included.
    pub calls: u64,
    /// What they cost: as the supplier tells where it does, else by the configured price. A call of
    /// which nobody knows whether it was billed counts as billed.
    pub cost: MicroUsd,
    /// Of the calls, those that stand in the journal, which counts them for the job.
    pub written_down: u64,
}

impl Spent {
    pub fn on(calls: u64, price: MicroUsd) -> Self {
        let count = i64::try_from(calls).unwrap_or(i64::MAX);
        Self {
            calls,
            cost: MicroUsd(price.0.saturating_mul(count)),
            written_down: 0,
        }
    }

    /// The same, every call of it written down.
    #[must_use]
    pub const fn written_down(self) -> Self {
        Self {
            written_down: self.calls,
            ..self
        }
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            cost: MicroUsd(self.cost.0.saturating_add(other.cost.0)),
            written_down: self.written_down.saturating_add(other.written_down),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    pub answer: Result<SearchPage, ProviderError>,
    /// Why the page is less deep than was asked for, where a later call failed.
    pub cut_by: Option<ProviderError>,
    /// Also of a search that failed.
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
    /// What a search of that depth takes at the most, whoever answers: what is set aside for it.
    fn most(&self, depth: u32) -> Spent;
    /// Why nobody may be asked: every supplier costs money that is not to be spent; else `None`.
    fn unpaid(&self, depth: u32) -> Option<Unpaid>;
    /// Asks, and waits for the answer. Each call that costs money is written down in the journal
    /// before it is made; what the journal refuses is not made.
    async fn search(&self, query: &SearchQuery, journal: &Arc<dyn CallJournal>) -> Searched;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpaid {
    SwitchedOff,
    /// One call can cost more than one call may.
    TooDear {
        price: MicroUsd,
        most: MicroUsd,
    },
    PriceUnknown,
}

impl Unpaid {
    pub const fn hint(self) -> &'static str {
        match self {
            Self::SwitchedOff => {
                "Ask the operator to allow calls that cost money (the settings search.paid_calls and ai.paid_calls), or to set a supplier that costs nothing."
            }
            Self::TooDear { .. } => {
                "Ask the operator to raise search.most_per_call, for AI engines ai.most_per_call, or to lower search.depth."
            }
            Self::PriceUnknown => {
                "Ask the operator to set the supplier's price (search.….price_per_call or price_per_page, ai.….price_per_million_input and output)."
            }
        }
    }
}

impl fmt::Display for Unpaid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SwitchedOff => f.write_str("calls that cost money are switched off"),
            Self::TooDear { price, most } => write!(
                f,
                "a call can cost {price} {0}, and may cost {most} {0}",
                MicroUsd::CURRENCY
            ),
            Self::PriceUnknown => f.write_str("nobody knows what a call costs"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProviderError {
    #[error("the supplier does not accept the credentials")]
    Unauthorised,
    #[error("the supplier's account is used up")]
    OutOfFunds,
    /// What was set aside for the job is used up; the supplier was not asked.
    #[error("what was set aside for the job is used up")]
    CapReached,
    /// The call costs money that is not to be spent; it was not made.
    #[error("{0}")]
    Unpaid(Unpaid),
    /// The call costs money and could not be written down before; it was not made.
    #[error("a call that costs money could not be written down before")]
    NotWrittenDown {
        /// What stood in the way: for the operator alone.
        why: String,
    },
    #[error("the supplier asks to slow down")]
    RateLimited { retry_after: Option<Duration> },
    /// The supplier could not be reached, answered with a server error, or is held back by the
    /// breaker after too many failures.
    #[error("the supplier is not available")]
    Unavailable,
    #[error("the supplier did not answer in time")]
    TimedOut,
    #[error("the supplier's answer cannot be read: {what}")]
    Malformed {
        /// What is wrong with it, without the answer itself.
        what: String,
    },
    /// The supplier understood and said no.
    #[error("the supplier refused: {reason}")]
    Refused {
        /// The supplier's reason, shortened, without credentials.
        reason: String,
    },
}

impl ProviderError {
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Unavailable
            | Self::TimedOut
            | Self::NotWrittenDown { .. }
            | Self::Malformed { .. } => true,
            Self::Unauthorised
            | Self::OutOfFunds
            | Self::CapReached
            | Self::Unpaid(_)
            | Self::Refused { .. } => false,
        }
    }

    /// Whether every further question would fail alike, until a person does something.
    pub const fn is_lasting(&self) -> bool {
        matches!(
            self,
            Self::Unauthorised | Self::OutOfFunds | Self::CapReached | Self::Unpaid(_)
        )
    }

    /// A stable code for records and problem documents.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unauthorised => "supplierUnauthorised",
            Self::OutOfFunds => "supplierOutOfFunds",
            Self::CapReached => "jobBudgetReached",
            Self::Unpaid(Unpaid::SwitchedOff) => "paidCallsSwitchedOff",
            Self::Unpaid(Unpaid::TooDear { .. }) => "callTooDear",
            Self::Unpaid(Unpaid::PriceUnknown) => "priceUnknown",
            Self::NotWrittenDown { .. } => "callNotWrittenDown",
            Self::RateLimited { .. } => "supplierRateLimited",
            Self::Unavailable => "supplierUnavailable",
            Self::TimedOut => "supplierTimedOut",
            Self::Malformed { .. } => "supplierMalformed",
            Self::Refused { .. } => "supplierRefused",
        }
    }
}
