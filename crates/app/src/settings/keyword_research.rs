use setting::{Price, Usd, settings};

settings! {
    /// Asks DataForSEO where `search.data_for_seo` has credentials, else the sandbox; switch and caps of `search` hold
    /// too.
    pub struct KeywordResearchSettings {
        /// What a call costs at the most, in US dollars; a search takes two.
        pub price_per_call: Price = Usd(0.02),
    }
}
