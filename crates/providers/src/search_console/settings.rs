use crate::resilience::ResilienceSettings;
use std::{path::PathBuf, time::Duration};
use url::Url;

#[derive(Debug, Clone)]
pub struct SearchConsoleSettings {
    /// The key file of a service account, as Google's console makes it; read when a token is needed, so that a new one
    /// counts.
    pub key_file: Option<PathBuf>,
    /// Without the path of an operation, for example `https://www.googleapis.com`.
    pub base_url: Url,
    /// Where tokens are made, for example `https://oauth2.googleapis.com/token`.
    pub token_url: Url,
    pub resilience: ResilienceSettings,
}

impl SearchConsoleSettings {
    /// Google itself, with that key.
    ///
    /// # Panics
    /// Never: the addresses are fixed.
    pub fn google(key_file: Option<PathBuf>) -> Self {
        let fixed = |it| Url::parse(it).expect("a fixed address parses");
        Self {
            key_file,
            base_url: fixed("https://www.googleapis.com"),
            token_url: fixed("https://oauth2.googleapis.com/token"),
            resilience: ResilienceSettings {
                // A day of a large site takes its time; 1,200 questions a minute are allowed.
                call_timeout: Duration::from_mins(1),
                concurrent_calls: 4,
                calls_per_second: Some(10.0),
                ..ResilienceSettings::default()
            },
        }
    }
}
