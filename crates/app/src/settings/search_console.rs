use domain::use_cases::search_console::fetch::FetchLimits;
use setting::{WebAddress, Within, settings};
use std::path::PathBuf;

settings! {
    pub struct SearchConsoleSettings {
        /// The file that holds the key of a service account; nothing is fetched without one.
        pub key_file: Option<PathBuf>,
        pub base_url: WebAddress = WebAddress::fixed("https://www.googleapis.com"),
        pub token_url: WebAddress = WebAddress::fixed("https://oauth2.googleapis.com/token"),
        /// Rows of a day at the most, for each of the ways in which rows are told apart.
        pub rows_per_day: Within<100, 50_000> = Within(FetchLimits::default().rows_per_day),
        /// Search Console itself keeps sixteen months.
        pub first_days: Within<3, 480> = Within(FetchLimits::default().first_days),
    }
}

impl SearchConsoleSettings {
    pub const fn limits(&self) -> FetchLimits {
        FetchLimits {
            rows_per_day: self.rows_per_day.0,
            first_days: self.first_days.0,
        }
    }
}
