use crate::resilience::ResilienceSettings;
use secrecy::SecretString;
use std::time::Duration;
use url::Url;

/// Which sources to ask. Without any, there is no field data, and that is said.
#[derive(Debug, Clone)]
pub struct VitalsSettings {
    /// The CrUX API; asked first.
    pub crux: Option<GoogleApiSettings>,
    /// PageSpeed Insights; asked when the CrUX API fails or is not configured.
    pub page_speed: Option<GoogleApiSettings>,
    pub crux_resilience: ResilienceSettings,
    /// How calls to PageSpeed Insights are guarded, which loads the page before it answers.
    pub page_speed_resilience: ResilienceSettings,
}

#[derive(Debug, Clone)]
pub struct GoogleApiSettings {
    /// Without the path of an operation, for example `https://chromeuxreport.googleapis.com`.
    pub base_url: Url,
    pub api_key: SecretString,
}

impl GoogleApiSettings {
    /// The CrUX API itself, with that key.
    ///
    /// # Panics
    /// Never: the address is fixed.
    pub fn crux(api_key: SecretString) -> Self {
        let base_url = Url::parse("https://chromeuxreport.googleapis.com");
        Self {
            base_url: base_url.expect("a fixed address parses"),
            api_key,
        }
    }

    /// PageSpeed Insights itself, with that key.
    ///
    /// # Panics
    /// Never: the address is fixed.
    pub fn page_speed(api_key: SecretString) -> Self {
        let base_url = Url::parse("https://www.googleapis.com");
        Self {
            base_url: base_url.expect("a fixed address parses"),
            api_key,
        }
    }
}

impl Default for VitalsSettings {
    fn default() -> Self {
        Self {
            crux: None,
            page_speed: None,
            crux_resilience: ResilienceSettings {
                // The API allows 150 queries a minute.
                calls_per_second: Some(2.5),
                ..ResilienceSettings::default()
            },
            page_speed_resilience: ResilienceSettings {
                call_timeout: Duration::from_mins(2),
                concurrent_calls: 2,
                // 240 queries a minute.
                calls_per_second: Some(4.0),
                ..ResilienceSettings::default()
            },
        }
    }
}
