//! How fast pages are: for visitors (field), in a browser (lab), and as far as files tell.

use super::search_results::ProviderError;
use analysis::observation::vitals::{FieldSample, FormFactor, LabMeasurement, StaticFacts};
use async_trait::async_trait;
use thiserror::Error;

/// The operation's name in metrics, server notes and breakers.
pub const OPERATION: &str = "vitals";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldTarget {
    /// Those of a page, or of its origin when the page has too few.
    Page(String),
    /// Those of a whole origin, for example `https://acme.com`.
    Origin(String),
}

/// Something the operator has to provide first, in words that may be shown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{missing}; {remedy}")]
pub struct NotConfigured {
    /// What is missing, for example `no field data is configured`.
    pub missing: String,
    pub remedy: String,
}

/// Knows what visitors saw. A page and an origin without enough visits are `None`, never an error.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait FieldVitals: Send + Sync {
    /// What it would take to get answers; `None` when nothing is missing.
    fn missing(&self) -> Option<NotConfigured>;
    fn provider(&self) -> String;
    async fn field(
        &self,
        target: &FieldTarget,
        form_factor: FormFactor,
    ) -> Result<Option<FieldSample>, FieldVitalsError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FieldVitalsError {
    #[error(transparent)]
    NotConfigured(#[from] NotConfigured),
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabOrder {
    /// An absolute `http` or `https` URL.
    pub url: String,
    /// The device to stand in for; `All` is none.
    pub form_factor: FormFactor,
    /// How often to load it; `None` for as often as settings say.
    pub runs: Option<u32>,
}

/// Loads pages in a browser. Dropping the future ends the browser and removes all that it wrote.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait LabVitals: Send + Sync {
    /// What it would take to load pages; `None` when nothing is missing.
    fn missing(&self) -> Option<NotConfigured>;
    fn provider(&self) -> String;
    /// Loads a page as often as ordered. Loads that fail are left out as long as one succeeds.
    async fn load(&self, order: &LabOrder) -> Result<LabMeasurement, LabError>;
}

/// Reads what the files of a page say, where there is no browser.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait StaticVitals: Send + Sync {
    /// Fetches a page and what it names.
    async fn look(&self, order: &LabOrder) -> Result<StaticFacts, LabError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LabError {
    /// There is no browser, or it may not be used.
    #[error(transparent)]
    NotConfigured(#[from] NotConfigured),
    /// The page is no `http` or `https` URL, or no device was named.
    #[error("the order cannot be carried out: {0}")]
    Order(&'static str),
    #[error("robots.txt does not allow loading the page")]
    DisallowedByRobots,
    /// Nothing answers there. An address that may not be read looks the same from outside.
    #[error("the page cannot be reached")]
    Unreachable,
    #[error("the page answers with status {0}")]
    Status(u16),
    #[error("the page is not HTML")]
    NotHtml,
    #[error("the page did not load in time")]
    TimedOut,
    /// The page took more memory or traffic than it may, or crashed the browser.
    #[error("the page is too heavy to be loaded")]
    TooHeavy,
    #[error("the browser failed: {0}")]
    Browser(String),
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

impl LabError {
    /// A stable code for records.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured(_) => "labNotConfigured",
            Self::Order(_) => "labOrderInvalid",
            Self::DisallowedByRobots => "robotsDisallowed",
            Self::Unreachable => "pageUnreachable",
            Self::Status(_) => "pageStatus",
            Self::NotHtml => "pageNotHtml",
            Self::TimedOut => "pageTimedOut",
            Self::TooHeavy => "pageTooHeavy",
            Self::Browser(_) => "browserFailed",
            Self::Provider(error) => error.code(),
        }
    }

    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable | Self::TimedOut | Self::Browser(_) => true,
            Self::Status(status) => *status == 429 || *status >= 500,
            Self::Provider(error) => error.is_retryable(),
            Self::NotConfigured(_)
            | Self::Order(_)
            | Self::DisallowedByRobots
            | Self::NotHtml
            | Self::TooHeavy => false,
        }
    }
}

impl FieldVitalsError {
    /// A stable code for records.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured(_) => "fieldVitalsNotConfigured",
            Self::Provider(error) => error.code(),
        }
    }
}
