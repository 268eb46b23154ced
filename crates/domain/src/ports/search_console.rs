//! Search Console: its API, and the files that it and other tools export.

use super::{page_speed::NotConfigured, search_results::ProviderError};
use crate::search_console::{DimensionSet, Property, RowSet, SearchRow, Span};
use async_trait::async_trait;
use chrono::NaiveDate;
use std::fmt;
use thiserror::Error;

/// Names of queries and of fetching access tokens, in metrics, server notes and breakers.
pub const OPERATIONS: [&str; 2] = ["rows", "token"];

/// Queries the API for final data of web searches. Days that are not final or have no impressions have no rows.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SearchConsole: Send + Sync {
    /// Missing configuration; `None` if complete.
    fn missing(&self) -> Option<NotConfigured>;
    /// The last of these days that is final and has impressions.
    async fn last_final_day(
        &self,
        property: &Property,
        among: Span,
    ) -> Result<Option<NaiveDate>, SearchConsoleError>;
    /// Up to `limit` rows of a day, most clicks first.
    async fn rows(
        &self,
        property: &Property,
        day: NaiveDate,
        cut: DimensionSet,
        limit: u32,
    ) -> Result<Vec<SearchRow>, SearchConsoleError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SearchConsoleError {
    #[error(transparent)]
    NotConfigured(#[from] NotConfigured),
    #[error(
        "Search Console does not let {service_account} read {property}: add it under Settings, Users and permissions, of that property"
    )]
    NoAccess {
        /// The e-mail address of the service account.
        service_account: String,
        property: String,
    },
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

#[derive(Debug, Clone, Copy)]
pub struct ExportFile<'a> {
    /// File name, for messages.
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// Days that the rows sum up, if no column has dates.
    pub span: Option<Span>,
    /// The page that the export was filtered by.
    pub page: Option<&'a str>,
    /// Whether to unpack archives, which can take a thousand times the file size in memory.
    pub unpacks: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadExport {
    pub sets: Vec<RowSet>,
    /// Descriptions of what was omitted.
    pub left_out: Vec<String>,
}

/// Reads a performance report export: the whole file, or nothing.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait ConsoleExports: Send + Sync {
    /// Takes time in proportion to the file size; do not call on an async thread.
    #[expect(clippy::elidable_lifetime_names, reason = "the mock needs the name")]
    fn read<'a>(&self, file: &ExportFile<'a>) -> Result<ReadExport, ExportError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ExportError {
    /// File name; within an archive, preceded by the archive's name.
    pub file: String,
    /// Line number, from 1.
    pub line: Option<u64>,
    /// Column number from 1, and its title if any.
    pub column: Option<String>,
    pub problem: String,
    pub remedy: String,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}. {}", self.problem, self.remedy)
    }
}
