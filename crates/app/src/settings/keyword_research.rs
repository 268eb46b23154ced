use serde::{Deserialize, Serialize};

/// Asks DataForSEO where `search.data_for_seo` has credentials, else the sandbox; switch and caps of `search` hold too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeywordResearchSettings {
    /// What a call costs at the most, in US dollars; a search takes two.
    pub price_per_call: f64,
}

impl Default for KeywordResearchSettings {
    fn default() -> Self {
        Self {
            price_per_call: 0.02,
        }
    }
}
