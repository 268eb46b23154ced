//! Page speed: field data (visitors), lab data (browser), and static analysis of files.

use super::search_results::ProviderError;
use analysis::observation::vitals::{FieldSample, FormFactor, LabMeasurement, StaticFacts};
use async_trait::async_trait;
use thiserror::Error;

/// The operation's name in metrics, server notes and breakers.
pub const OPERATION: &str = "vitals";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldTarget {
    /// Data of a page, or of its origin if the page has too few visits.
    Page(String),
    /// Data of a whole origin, for example `https://acme.com`.
    Origin(String),
}

/// Configuration that the operator must provide first; safe to show to users.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{missing}; {remedy}")]
pub struct NotConfigured {
    /// What is missing, for example `no field data is configured`.
    pub missing: String,
    pub remedy: String,
}

/// Fetches field data. A page or an origin without enough visits is `None`, never an error.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait FieldVitals: Send + Sync {
    /// Missing configuration; `None` if complete.
    fn missing(&self) -> Option<NotConfigured>;
    fn provider(&self) -> String;
    async fn fetch(
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
    /// The emulated device; `All` is invalid.
    pub form_factor: FormFactor,
    /// Number of loads; `None` uses the configured number.
    pub runs: Option<u32>,
}

/// Loads pages in a browser. Dropping the future ends the browser and deletes its files.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait LabVitals: Send + Sync {
    /// Missing configuration; `None` if complete.
    fn missing(&self) -> Option<NotConfigured>;
    fn provider(&self) -> String;
    /// Loads a page as often as ordered. Failed loads are omitted if one succeeds.
    async fn load(&self, order: &LabOrder) -> Result<LabMeasurement, LabError>;
}

/// Analyzes the files of a page without a browser.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait StaticVitals: Send + Sync {
    /// Fetches a page and the files it references.
    async fn analyze(&self, order: &LabOrder) -> Result<StaticFacts, LabError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LabError {
    /// There is no browser, or its use is disabled.
    #[error(transparent)]
    NotConfigured(#[from] NotConfigured),
    /// The URL is not `http` or `https`, or no device was given.
    #[error("the order cannot be carried out: {0}")]
    Order(&'static str),
    #[error("robots.txt does not allow loading the page")]
    DisallowedByRobots,
    /// No answer. Blocked addresses give the same error, which prevents probing a private network.
    #[error("the page cannot be reached")]
    Unreachable,
    #[error("the page answers with status {0}")]
    Status(u16),
    #[error("the page is not HTML")]
    NotHtml,
    #[error("the page did not load in time")]
    TimedOut,
    /// The page exceeded its memory or traffic limit, or crashed the browser.
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
