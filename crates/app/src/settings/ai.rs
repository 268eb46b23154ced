use super::{SearchSettings, Secret, WebAddress};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// AI engines: every one that has a key or an address; the sandbox's when there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AiSettings {
    /// Whether engines that cost money are asked at all; `search.paid_calls` stands above it.
    pub paid_calls: bool,
    /// US dollars that a call may cost.
    pub most_per_call: Option<f64>,
    pub at_once: usize,
    pub answer_seconds: u32,
    /// Which model judges sentiment where no lexicon speaks the language; without one nobody does.
    pub sentiment_by: Option<SentimentJudge>,
    pub chatgpt: KeyedSettings<Chatgpt>,
    pub perplexity: KeyedSettings<Perplexity>,
    pub gemini: GeminiSettings,
    pub claude: KeyedSettings<Claude>,
    pub google: GoogleSettings,
    pub compatible: CompatibleSettings,
}

/// A model that can answer without looking at the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SentimentJudge {
    Chatgpt,
    Gemini,
    Claude,
    Compatible,
}

pub trait Service {
    /// The key of its settings, for example `ai.chatgpt`.
    const KEY: &'static str;
    const BASE_URL: &'static str;
    const MODEL: &'static str;
    /// US dollars for a million tokens read and written by that model, as listed in autumn 2026.
    const LISTED: (f64, f64);
    /// US dollars for a search.
    const PRICE_PER_SEARCH: f64;
    const MOST_INPUT_TOKENS: u32;
    const MOST_OUTPUT_TOKENS: u32;
    const MOST_SEARCHES: u32;
    const FORCE_SEARCH: bool;
}

/// OpenAI's Responses API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chatgpt;

/// Perplexity's Agent API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Perplexity;

/// Anthropic's Messages API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claude;

/// A model of a service. Prices are in US dollars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, bound = "")]
pub struct KeyedSettings<S: Service> {
    pub api_key: Option<Secret>,
    pub base_url: WebAddress,
    pub model: String,
    pub price_per_million_input: Option<f64>,
    pub price_per_million_output: Option<f64>,
    pub price_per_search: f64,
    /// An estimate; what searches found is included.
    pub most_input_tokens: u32,
    /// Thoughts included.
    pub most_output_tokens: u32,
    pub most_searches: u32,
    pub force_search: bool,
    #[serde(skip)]
    service: PhantomData<S>,
}

/// Gemini, by its own API. Prices are in US dollars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GeminiSettings {
    pub api_key: Option<Secret>,
    pub base_url: WebAddress,
    pub link_base: WebAddress,
    pub model: String,
    pub price_per_million_input: Option<f64>,
    pub price_per_million_output: Option<f64>,
    pub price_per_search: f64,
    /// An estimate; what searches found is included.
    pub most_input_tokens: u32,
    /// Thoughts included.
    pub most_output_tokens: u32,
    pub most_searches: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GoogleSettings {
    pub overview: bool,
    pub mode: bool,
    /// What an answer of AI Mode costs at DataForSEO at the most, in US dollars.
    pub mode_price: f64,
}

/// Any endpoint that speaks like OpenAI's chat completions. Prices are in US dollars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CompatibleSettings {
    /// Where it is, up to the version.
    pub base_url: Option<WebAddress>,
    pub api_key: Option<Secret>,
    pub model: String,
    pub price_per_million_input: Option<f64>,
    pub price_per_million_output: Option<f64>,
    pub most_input_tokens: u32,
    pub most_output_tokens: u32,
}

#[derive(Debug, Clone, Copy)]
pub struct ModelChoice<'a> {
    /// Where its settings are, for example `ai.chatgpt`.
    pub key: &'static str,
    /// The key; without one it is not asked.
    pub api_key: Option<&'a Secret>,
    pub base_url: &'a WebAddress,
    pub link_base: Option<&'a WebAddress>,
    pub model: &'a str,
    /// US dollars for a million tokens read and written; `None` when nobody knows.
    pub prices: Option<(f64, f64)>,
    /// What of them is set.
    pub set_prices: (Option<f64>, Option<f64>),
    /// US dollars for a search.
    pub price_per_search: f64,
    pub most_input_tokens: u32,
    pub most_output_tokens: u32,
    pub most_searches: u32,
    pub force_search: bool,
}

impl SentimentJudge {
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
    /// Whether the model that is to tell sentiment is set up; it is when none is named.
    pub const fn has_judge(&self) -> bool {
        match self.sentiment_by {
            None => true,
            Some(SentimentJudge::Chatgpt) => self.chatgpt.api_key.is_some(),
            Some(SentimentJudge::Gemini) => self.gemini.api_key.is_some(),
            Some(SentimentJudge::Claude) => self.claude.api_key.is_some(),
            Some(SentimentJudge::Compatible) => self.compatible.base_url.is_some(),
        }
    }

    /// The engines that are asked by a key, in the order in which they are shown.
    pub fn models(&self) -> [ModelChoice<'_>; 4] {
        [
            self.chatgpt.choice(),
            self.perplexity.choice(),
            self.gemini.choice(),
            self.claude.choice(),
        ]
    }

    /// Whether answers are made up: nobody who gives real ones is configured.
    pub fn is_simulated(&self, search: &SearchSettings) -> bool {
        let fetched = search.data_for_seo.login.is_some() || search.serp_api.api_key.is_some();
        self.models().iter().all(|it| it.api_key.is_none())
            && self.compatible.base_url.is_none()
            && !(fetched && (self.google.overview || self.google.mode))
    }
}

fn prices(
    set: (Option<f64>, Option<f64>),
    is_usual: bool,
    listed: (f64, f64),
) -> Option<(f64, f64)> {
    match set {
        (Some(input), Some(output)) => Some((input, output)),
        (input, output) if is_usual => {
            Some((input.unwrap_or(listed.0), output.unwrap_or(listed.1)))
        }
        _ => None,
    }
}

impl Default for AiSettings {
    fn default() -> Self {
        Self {
            paid_calls: true,
            most_per_call: None,
            at_once: 8,
            answer_seconds: 90,
            sentiment_by: None,
            chatgpt: KeyedSettings::default(),
            perplexity: KeyedSettings::default(),
            gemini: GeminiSettings::default(),
            claude: KeyedSettings::default(),
            google: GoogleSettings::default(),
            compatible: CompatibleSettings::default(),
        }
    }
}

impl Service for Chatgpt {
    const KEY: &'static str = "ai.chatgpt";
    const BASE_URL: &'static str = "https://api.openai.com";
    const MODEL: &'static str = "gpt-6.1-terra";
    const LISTED: (f64, f64) = (1.0, 5.0);
    const PRICE_PER_SEARCH: f64 = 0.01;
    const MOST_INPUT_TOKENS: u32 = 60_000;
    const MOST_OUTPUT_TOKENS: u32 = 8_000;
    const MOST_SEARCHES: u32 = 4;
    const FORCE_SEARCH: bool = true;
}

impl Service for Perplexity {
    const KEY: &'static str = "ai.perplexity";
    const BASE_URL: &'static str = "https://api.perplexity.ai";
    const MODEL: &'static str = "perplexity/sonar";
    const LISTED: (f64, f64) = (0.25, 2.5);
    const PRICE_PER_SEARCH: f64 = 0.005;
    const MOST_INPUT_TOKENS: u32 = 30_000;
    const MOST_OUTPUT_TOKENS: u32 = 4_000;
    const MOST_SEARCHES: u32 = 4;
    const FORCE_SEARCH: bool = true;
}

impl Service for Claude {
    const KEY: &'static str = "ai.claude";
    const BASE_URL: &'static str = "https://api.anthropic.com";
    const MODEL: &'static str = "claude-sonnet-5-5";
    const LISTED: (f64, f64) = (2.0, 10.0);
    const PRICE_PER_SEARCH: f64 = 0.01;
    const MOST_INPUT_TOKENS: u32 = 60_000;
    const MOST_OUTPUT_TOKENS: u32 = 8_000;
    const MOST_SEARCHES: u32 = 3;
    const FORCE_SEARCH: bool = false;
}

impl<S: Service> Default for KeyedSettings<S> {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: WebAddress::fixed(S::BASE_URL),
            model: S::MODEL.to_owned(),
            price_per_million_input: None,
            price_per_million_output: None,
            price_per_search: S::PRICE_PER_SEARCH,
            most_input_tokens: S::MOST_INPUT_TOKENS,
            most_output_tokens: S::MOST_OUTPUT_TOKENS,
            most_searches: S::MOST_SEARCHES,
            force_search: S::FORCE_SEARCH,
            service: PhantomData,
        }
    }
}

impl<S: Service> KeyedSettings<S> {
    fn choice(&self) -> ModelChoice<'_> {
        let set = (self.price_per_million_input, self.price_per_million_output);
        ModelChoice {
            key: S::KEY,
            api_key: self.api_key.as_ref(),
            base_url: &self.base_url,
            link_base: None,
            model: &self.model,
            prices: prices(set, self.model == S::MODEL, S::LISTED),
            set_prices: set,
            price_per_search: self.price_per_search,
            most_input_tokens: self.most_input_tokens,
            most_output_tokens: self.most_output_tokens,
            most_searches: self.most_searches,
            force_search: self.force_search,
        }
    }
}

impl Default for GeminiSettings {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: WebAddress::fixed("https://generativelanguage.googleapis.com"),
            link_base: WebAddress::fixed(
                "https://vertexaisearch.cloud.google.com/grounding-api-redirect/",
            ),
            model: Self::USUAL.to_owned(),
            price_per_million_input: None,
            price_per_million_output: None,
            price_per_search: 0.014,
            most_input_tokens: 10_000,
            most_output_tokens: 8_000,
            most_searches: 4,
        }
    }
}

impl GeminiSettings {
    const USUAL: &str = "gemini-3.8-flash";
    /// US dollars for a million tokens read and written, as its service listed them in autumn 2026.
    const LISTED: (f64, f64) = (0.75, 3.75);

    fn choice(&self) -> ModelChoice<'_> {
        let set = (self.price_per_million_input, self.price_per_million_output);
        ModelChoice {
            key: "ai.gemini",
            api_key: self.api_key.as_ref(),
            base_url: &self.base_url,
            link_base: Some(&self.link_base),
            model: &self.model,
            prices: prices(set, self.model == Self::USUAL, Self::LISTED),
            set_prices: set,
            price_per_search: self.price_per_search,
            most_input_tokens: self.most_input_tokens,
            most_output_tokens: self.most_output_tokens,
            most_searches: self.most_searches,
            force_search: false,
        }
    }
}

impl Default for GoogleSettings {
    fn default() -> Self {
        Self {
            overview: true,
            mode: true,
            mode_price: 0.004,
        }
    }
}

impl Default for CompatibleSettings {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key: None,
            model: "llama3.2".to_owned(),
            price_per_million_input: None,
            price_per_million_output: None,
            most_input_tokens: 4_000,
            most_output_tokens: 4_000,
        }
    }
}

impl CompatibleSettings {
    /// US dollars for a million tokens read and written; `None` when nobody knows.
    pub fn prices(&self) -> Option<(f64, f64)> {
        self.price_per_million_input
            .zip(self.price_per_million_output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_known_for_the_usual_model_and_where_they_are_set() {
        let mut settings = KeyedSettings::<Chatgpt>::default();
        assert_eq!(settings.choice().prices, Some((1.0, 5.0)));
        settings.price_per_million_output = Some(6.0);
        assert_eq!(settings.choice().prices, Some((1.0, 6.0)));
        settings.model = "another".to_owned();
        assert_eq!(settings.choice().prices, None);
        settings.price_per_million_input = Some(2.0);
        assert_eq!(settings.choice().prices, Some((2.0, 6.0)));
    }
}
