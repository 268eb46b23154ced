use super::WebAddress;
use domain::use_cases::search_console::fetch::FetchLimits;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchConsoleSettings {
    /// The file that holds the key of a service account; nothing is fetched without one.
    pub key_file: Option<PathBuf>,
    pub base_url: WebAddress,
    pub token_url: WebAddress,
    /// Rows of a day at the most, for each of the ways in which rows are told apart.
    pub rows_per_day: u32,
    pub first_days: u32,
}

impl Default for SearchConsoleSettings {
    fn default() -> Self {
        let limits = FetchLimits::default();
        Self {
            key_file: None,
            base_url: WebAddress::fixed("https://www.googleapis.com"),
            token_url: WebAddress::fixed("https://oauth2.googleapis.com/token"),
            rows_per_day: limits.rows_per_day,
            first_days: limits.first_days,
        }
    }
}

impl SearchConsoleSettings {
    pub const fn limits(&self) -> FetchLimits {
        FetchLimits {
            rows_per_day: self.rows_per_day,
            first_days: self.first_days,
        }
    }
}
