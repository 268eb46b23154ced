//! Search Console itself: its API, and the files that it and other tools export.

use super::{page_speed::NotConfigured, search_results::ProviderError};
use crate::search_console::{Cut, Property, RowSet, SearchRow, Span};
use async_trait::async_trait;
use chrono::NaiveDate;
use std::fmt;
use thiserror::Error;

/// Asks the API for final figures of web searches. Days that are not final yet are no rows, and
/// neither are days on which nothing was shown.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SearchConsole: Send + Sync {
    /// What it would take to get answers; `None` when nothing is missing.
    fn missing(&self) -> Option<NotConfigured>;
    /// The last of these days on which anything is final and was shown.
    async fn last_final_day(
        &self,
        property: &Property,
        among: Span,
    ) -> Result<Option<NaiveDate>, SearchConsoleError>;
    /// The rows of a day, those with most clicks first, up to `most`.
    async fn rows(
        &self,
        property: &Property,
        day: NaiveDate,
        cut: Cut,
        most: u32,
    ) -> Result<Vec<SearchRow>, SearchConsoleError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SearchConsoleError {
    #[error(transparent)]
    NotConfigured(#[from] NotConfigured),
    #[error(
        "Search Console does not let {who} read {property}: add it under Settings, Users and permissions, of that property"
    )]
    NoAccess {
        /// The e-mail address of the service account.
        who: String,
        property: String,
    },
    #[error(transparent)]
    Provider(#[from] ProviderError),
}

#[derive(Debug, Clone, Copy)]
pub struct ExportFile<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// The days that its rows sum up, where no column tells days.
    pub span: Option<Span>,
    /// The page that all its rows are about: the export was filtered by it.
    pub page: Option<&'a str>,
    /// Whether an archive is unpacked. Unpacking may take a thousand times the memory of the bytes.
    pub unpacks: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadExport {
    pub sets: Vec<RowSet>,
    /// What was left out, in words.
    pub left_out: Vec<String>,
}

/// Reads the export of the performance report: all of it, or nothing.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait ConsoleExports: Send + Sync {
    /// Reads a file. It takes as long as the file is large: not for an async thread.
    #[expect(clippy::elidable_lifetime_names, reason = "the mock needs the name")]
    fn read<'a>(&self, file: &ExportFile<'a>) -> Result<ReadExport, ExportError>;
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ExportError {
    /// The name of the file; of one in an archive after the archive's.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The column: its number from 1, and its title where it has one.
    pub column: Option<String>,
    pub what: String,
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
        write!(f, ": {}. {}", self.what, self.remedy)
    }
}
