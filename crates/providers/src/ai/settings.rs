use super::anthropic::Claude;
use super::compatible::CompatibleSettings;
use super::gemini::GeminiSettings;
use super::google::GoogleSettings;
use super::openai::Chatgpt;
use super::perplexity::Perplexity;
use super::price::{TokenPrices, TokenUsage};
use super::suppliers;
use crate::resilience::ResilienceSettings;
use crate::search::SearchSettings;
use crate::search::wire_errors::redact;
use serde::{Deserialize, Serialize};
use setting::{
    Cap, Cost, Mistakes, Price, Seconds, Secret, Setting, Usd, WebAddress, Within,
    impl_unchecked_setting, settings,
};
use std::marker::PhantomData;

settings! {
    /// AI engines: every one that has a key or an address; the sandbox's if there is none.
    pub struct AiSettings {
        /// Whether paid AI engines are queried; `search.paid_calls` stops them too.
        pub paid_calls: bool = true,
        /// US dollars that a call may cost.
        pub most_per_call: Option<Cap>,
        /// Concurrent questions to an engine.
        pub at_once: Within<1, 64, usize> = Within(8),
        /// Timeout of an answer; 10 to 300.
        pub answer_seconds: Seconds<10, 300> = Seconds::of(90),
        /// Engine that classifies sentiment: `chatgpt`, `gemini`, `claude` or `compatible`. Without it sentiment is
        /// unknown in languages without a lexicon.
        pub sentiment_by: Option<SentimentModel>,
        pub chatgpt: ModelSettings<Chatgpt>,
        pub perplexity: ModelSettings<Perplexity>,
        pub gemini: GeminiSettings,
        pub claude: ModelSettings<Claude>,
        pub google: GoogleSettings,
        pub compatible: CompatibleSettings,
        /// Applies to each engine separately.
        #[serde(skip)]
        pub resilience: ResilienceSettings,
    }
    rules AiSettings::check_sentiment_model
}

/// A model that can answer without web search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SentimentModel {
    Chatgpt,
    Gemini,
    Claude,
    Compatible,
}

impl_unchecked_setting!(SentimentModel);

/// What differs between services, and the default model of each.
pub trait Service {
    const BASE_URL: &'static str;
    const MODEL: &'static str;
    /// US dollars per million input and output tokens of that model, list price of autumn 2026.
    const LIST_PRICES: (f64, f64);
    /// In US dollars.
    const PRICE_PER_SEARCH: f64;
    const MAX_INPUT_TOKENS: u32;
    const MAX_OUTPUT_TOKENS: u32;
    const MAX_SEARCHES: u32;
    const FORCE_SEARCH: bool;
}

settings! {
    /// A model of a service. Prices are in US dollars and cannot be 0: no such service is free.
    #[serde(bound = "")]
    pub struct ModelSettings<S: Service> {
        /// Key of the service.
        pub api_key: Option<Secret>,
        /// API URL.
        pub base_url: WebAddress = WebAddress::from_static(S::BASE_URL),
        /// Model.
        pub model: ModelName = ModelName::fixed(S::MODEL),
        /// US dollars for a million input tokens; required for other models than the default.
        pub price_per_million_input: Option<Price>,
        /// The same for output tokens.
        pub price_per_million_output: Option<Price>,
        /// US dollars for a search.
        pub price_per_search: Cost = Usd(S::PRICE_PER_SEARCH),
        /// Input tokens reserved for an answer, with search results.
        pub most_input_tokens: InputTokens = Within(S::MAX_INPUT_TOKENS),
        /// Maximum of output tokens, reasoning included.
        pub most_output_tokens: OutputTokens = Within(S::MAX_OUTPUT_TOKENS),
        /// Maximum of searches; 1 to 50.
        pub most_searches: Within<1, 50> = Within(S::MAX_SEARCHES),
        /// Whether a search is forced.
        pub force_search: bool = S::FORCE_SEARCH,
        #[serde(skip)]
        pub service: PhantomData<S>,
    }
}

pub type InputTokens = Within<100, 2_000_000>;
pub type OutputTokens = Within<16, 200_000>;

/// Model names become part of URLs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelName(pub String);

impl ModelName {
    pub(super) fn fixed(name: &'static str) -> Self {
        Self(name.to_owned())
    }
}

impl Setting for ModelName {
    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        let Self(name) = self;
        let is_name = !name.is_empty()
            && name.len() <= 200
            && { name.chars() }.all(|it| it.is_ascii_alphanumeric() || "._:/-@".contains(it))
            && !name.contains("..");
        if !is_name {
            let allowed = "the name of a model: letters, digits and . _ : / - @";
            mistakes.add(key, format!("{name:?}"), allowed);
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Model {
    pub base_url: WebAddress,
    pub key: Secret,
    pub name: String,
    /// `None`: unknown, so the model is not queried.
    pub prices: Option<TokenPrices>,
    /// Tokens that a call may read, search results included: an estimate, used to reserve budget.
    pub max_input_tokens: u64,
    /// Tokens that a call may write, thinking included.
    pub max_output_tokens: u32,
    /// Searches that a call may make, sent where the service accepts a limit; used to reserve budget.
    pub max_searches: u32,
    /// Whether the request forces a search. Some models reject that.
    pub force_search: bool,
}

impl SentimentModel {
    pub const fn engine(self) -> &'static str {
        match self {
            Self::Chatgpt => "chatgpt",
            Self::Gemini => "gemini",
            Self::Claude => "claude",
            Self::Compatible => "compatible",
        }
    }
}

impl AiSettings {
    fn check_sentiment_model(&self, key: &str, mistakes: &mut Mistakes) {
        let Some(model) = self.sentiment_by else {
            return;
        };
        let is_set_up = match model {
            SentimentModel::Chatgpt => self.chatgpt.api_key.is_some(),
            SentimentModel::Gemini => self.gemini.api_key.is_some(),
            SentimentModel::Claude => self.claude.api_key.is_some(),
            SentimentModel::Compatible => self.compatible.base_url.is_some(),
        };
        if !is_set_up {
            let engine = model.engine();
            let allowed =
                format!("a model that is set up: {key}.{engine} lacks its key or address");
            mistakes.add(&format!("{key}.sentiment_by"), engine, allowed);
        }
    }

    /// Whether no real engine is configured, so that answers are simulated.
    pub fn is_simulated(&self, search: &SearchSettings) -> bool {
        !suppliers().iter().any(|it| it.is_set(&(self, search)))
    }

    pub(super) fn resilience_settings(&self) -> ResilienceSettings {
        ResilienceSettings {
            call_timeout: self.answer_seconds.0,
            concurrent_calls: self.at_once.0,
            ..self.resilience.clone()
        }
    }
}

impl<S: Service> ModelSettings<S> {
    pub(super) fn model(&self) -> Option<Model> {
        let listed = (self.model.0 == S::MODEL).then_some(S::LIST_PRICES);
        let set = (self.price_per_million_input, self.price_per_million_output);
        Some(Model {
            base_url: self.base_url.clone(),
            key: self.api_key.clone()?,
            name: self.model.0.clone(),
            prices: prices(set, listed, self.price_per_search),
            max_input_tokens: self.most_input_tokens.0.into(),
            max_output_tokens: self.most_output_tokens.0,
            max_searches: self.most_searches.0,
            force_search: self.force_search,
        })
    }
}

/// Configured prices, or the list price of the default model; `None` if neither is known.
pub(super) fn prices(
    (input, output): (Option<Price>, Option<Price>),
    listed: Option<(f64, f64)>,
    search: Cost,
) -> Option<TokenPrices> {
    Some(TokenPrices {
        per_million_input: input.or(listed.map(|it| Usd(it.0)))?.micros(),
        per_million_output: output.or(listed.map(|it| Usd(it.1)))?.micros(),
        per_search: search.micros(),
        per_request: 0,
    })
}

impl Model {
    /// Maximum cost of a call, in millionths of a US dollar.
    pub fn max_cost(&self) -> Option<u64> {
        let taken = TokenUsage {
            input: self.max_input_tokens,
            output: self.max_output_tokens.into(),
            searches: self.max_searches.into(),
        };
        self.prices.map(|it| it.cost(taken))
    }

    pub fn without_key(&self, text: &str) -> String {
        redact(self.key.reveal(), text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_come_from_settings_or_the_default_model() {
        let mut settings = ModelSettings::<Chatgpt> {
            api_key: Some(Secret::new("a key".to_owned())),
            ..ModelSettings::default()
        };
        let prices = |settings: &ModelSettings<Chatgpt>| {
            let prices = settings.model().unwrap().prices;
            prices.map(|it| (it.per_million_input, it.per_million_output))
        };
        assert_eq!(prices(&settings), Some((1_000_000, 5_000_000)));
        settings.price_per_million_output = Some(Usd(6.0));
        assert_eq!(prices(&settings), Some((1_000_000, 6_000_000)));
        settings.model = ModelName("another".to_owned());
        assert_eq!(prices(&settings), None);
        settings.price_per_million_input = Some(Usd(2.0));
        assert_eq!(prices(&settings), Some((2_000_000, 6_000_000)));
    }
}
