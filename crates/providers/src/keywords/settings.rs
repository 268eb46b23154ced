use crate::{resilience::ResilienceSettings, sandbox::SandboxSettings, search::DataForSeoSettings};
use std::time::Duration;

/// Who tells about keywords. Without credentials the sandbox does.
#[derive(Debug, Clone)]
pub struct KeywordSettings {
    pub data_for_seo: Option<DataForSeoSettings>,
    /// What a call costs at the most, in millionths of a US dollar; answers tell what was really billed.
    pub price_per_call: u64,
    pub sandbox: SandboxSettings,
    /// How calls are guarded. People wait for them.
    pub resilience: ResilienceSettings,
    pub paid_calls: bool,
    /// What a call may cost, in millionths of a US dollar; `None` sets no bound.
    pub most_per_call: Option<u64>,
}

impl Default for KeywordSettings {
    fn default() -> Self {
        Self {
            data_for_seo: None,
            price_per_call: 20_000,
            sandbox: SandboxSettings::default(),
            resilience: ResilienceSettings {
                call_timeout: Duration::from_secs(12),
                max_retries: 1,
                longest_retry_after: Duration::from_secs(5),
                ..ResilienceSettings::default()
            },
            paid_calls: true,
            most_per_call: None,
        }
    }
}
