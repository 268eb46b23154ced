use super::SearchSettings;
use serde::{Deserialize, Serialize};
use setting::{
    Cap, Cost, Mistakes, Price, Seconds, Secret, Setting, Usd, WebAddress, Within, settings,
};
use std::marker::PhantomData;

settings! {
    /// AI engines: every one that has a key or an address; the sandbox's when there is none.
    pub struct AiSettings {
        /// Whether engines that cost money are asked at all; `search.paid_calls` stands above it.
        pub paid_calls: bool = true,
        /// US dollars that a call may cost.
        pub most_per_call: Option<Cap>,
        pub at_once: Within<1, 64, usize> = Within(8),
        pub answer_seconds: Seconds<10, 300> = Seconds::of(90),
        /// Which model judges sentiment where no lexicon speaks the language; without one nobody does.
        pub sentiment_by: Option<SentimentJudge>,
        pub chatgpt: KeyedSettings<Chatgpt>,
        pub perplexity: KeyedSettings<Perplexity>,
        pub gemini: GeminiSettings,
        pub claude: KeyedSettings<Claude>,
        pub google: GoogleSettings,
        pub compatible: CompatibleSettings,
    }
    rules AiSettings::the_judge_is_set_up
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

setting::taken_as_read!(SentimentJudge);

pub trait Service {
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

settings! {
    /// A model of a service. Prices are in US dollars. A service that costs nothing is no service: its price was not
    /// looked up.
    #[serde(bound = "")]
    pub struct KeyedSettings<S: Service> {
        pub api_key: Option<Secret>,
        pub base_url: WebAddress = WebAddress::fixed(S::BASE_URL),
        pub model: ModelName = ModelName::fixed(S::MODEL),
        pub price_per_million_input: Option<Price>,
        pub price_per_million_output: Option<Price>,
        pub price_per_search: Cost = Usd(S::PRICE_PER_SEARCH),
        /// An estimate; what searches found is included.
        pub most_input_tokens: InputTokens = Within(S::MOST_INPUT_TOKENS),
        /// Thoughts included.
        pub most_output_tokens: OutputTokens = Within(S::MOST_OUTPUT_TOKENS),
        pub most_searches: Within<1, 50> = Within(S::MOST_SEARCHES),
        pub force_search: bool = S::FORCE_SEARCH,
        #[serde(skip)]
        service: PhantomData<S>,
    }
}

settings! {
    /// Gemini, by its own API. Prices are in US dollars.
    pub struct GeminiSettings {
        pub api_key: Option<Secret>,
        pub base_url: WebAddress = WebAddress::fixed("https://generativelanguage.googleapis.com"),
        pub link_base: WebAddress =
            WebAddress::fixed("https://vertexaisearch.cloud.google.com/grounding-api-redirect/"),
        pub model: ModelName = ModelName::fixed(Self::USUAL),
        pub price_per_million_input: Option<Price>,
        pub price_per_million_output: Option<Price>,
        pub price_per_search: Cost = Usd(0.014),
        /// An estimate; what searches found is included.
        pub most_input_tokens: InputTokens = Within(10_000),
        /// Thoughts included.
        pub most_output_tokens: OutputTokens = Within(8_000),
        pub most_searches: Within<1, 50> = Within(4),
    }
}

settings! {
    pub struct GoogleSettings {
        pub overview: bool = true,
        pub mode: bool = true,
        /// What an answer of AI Mode costs at DataForSEO at the most, in US dollars.
        pub mode_price: Price = Usd(0.004),
    }
}

settings! {
    /// Any endpoint that speaks like OpenAI's chat completions. Prices are in US dollars.
    pub struct CompatibleSettings {
        /// Where it is, up to the version.
        pub base_url: Option<WebAddress>,
        pub api_key: Option<Secret>,
        pub model: ModelName = ModelName::fixed("llama3.2"),
        pub price_per_million_input: Option<Cost>,
        pub price_per_million_output: Option<Cost>,
        pub most_input_tokens: InputTokens = Within(4_000),
        pub most_output_tokens: OutputTokens = Within(4_000),
    }
}

pub type InputTokens = Within<100, 2_000_000>;
pub type OutputTokens = Within<16, 200_000>;

/// Names of models stand in addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelName(pub String);

impl ModelName {
    fn fixed(name: &'static str) -> Self {
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

#[derive(Debug, Clone, Copy)]
pub struct ModelChoice<'a> {
    /// The key; without one it is not asked.
    pub api_key: Option<&'a Secret>,
    pub base_url: &'a WebAddress,
    pub link_base: Option<&'a WebAddress>,
    pub model: &'a str,
    /// US dollars for a million tokens read and written; `None` when nobody knows.
    pub prices: Option<(f64, f64)>,
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
    fn the_judge_is_set_up(&self, key: &str, mistakes: &mut Mistakes) {
        if let Some(judge) = self.sentiment_by.filter(|_| !self.has_judge()) {
            let engine = judge.engine();
            mistakes.add(
                &format!("{key}.sentiment_by"),
                engine,
                format!("a model that is set up: {key}.{engine} lacks its key or address"),
            );
        }
    }

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

impl Service for Chatgpt {
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
    const BASE_URL: &'static str = "https://api.anthropic.com";
    const MODEL: &'static str = "claude-sonnet-5-5";
    const LISTED: (f64, f64) = (2.0, 10.0);
    const PRICE_PER_SEARCH: f64 = 0.01;
    const MOST_INPUT_TOKENS: u32 = 60_000;
    const MOST_OUTPUT_TOKENS: u32 = 8_000;
    const MOST_SEARCHES: u32 = 3;
    const FORCE_SEARCH: bool = false;
}

impl<S: Service> KeyedSettings<S> {
    fn choice(&self) -> ModelChoice<'_> {
        let dollars = |it: Option<Price>| it.map(|it| it.0);
        let set = (
            dollars(self.price_per_million_input),
            dollars(self.price_per_million_output),
        );
        ModelChoice {
            api_key: self.api_key.as_ref(),
            base_url: &self.base_url,
            link_base: None,
            model: &self.model.0,
            prices: prices(set, self.model.0 == S::MODEL, S::LISTED),
            price_per_search: self.price_per_search.0,
            most_input_tokens: self.most_input_tokens.0,
            most_output_tokens: self.most_output_tokens.0,
            most_searches: self.most_searches.0,
            force_search: self.force_search,
        }
    }
}

impl GeminiSettings {
    const USUAL: &str = "gemini-3.8-flash";
    /// US dollars for a million tokens read and written, as its service listed them in autumn 2026.
    const LISTED: (f64, f64) = (0.75, 3.75);

    fn choice(&self) -> ModelChoice<'_> {
        let dollars = |it: Option<Price>| it.map(|it| it.0);
        let set = (
            dollars(self.price_per_million_input),
            dollars(self.price_per_million_output),
        );
        ModelChoice {
            api_key: self.api_key.as_ref(),
            base_url: &self.base_url,
            link_base: Some(&self.link_base),
            model: &self.model.0,
            prices: prices(set, self.model.0 == Self::USUAL, Self::LISTED),
            price_per_search: self.price_per_search.0,
            most_input_tokens: self.most_input_tokens.0,
            most_output_tokens: self.most_output_tokens.0,
            most_searches: self.most_searches.0,
            force_search: false,
        }
    }
}

impl CompatibleSettings {
    /// US dollars for a million tokens read and written; `None` when nobody knows.
    pub fn prices(&self) -> Option<(f64, f64)> {
        let (input, output) = (self.price_per_million_input, self.price_per_million_output);
        input.zip(output).map(|(input, output)| (input.0, output.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_known_for_the_usual_model_and_where_they_are_set() {
        let mut settings = KeyedSettings::<Chatgpt>::default();
        assert_eq!(settings.choice().prices, Some((1.0, 5.0)));
        settings.price_per_million_output = Some(Usd(6.0));
        assert_eq!(settings.choice().prices, Some((1.0, 6.0)));
        settings.model = ModelName("another".to_owned());
        assert_eq!(settings.choice().prices, None);
        settings.price_per_million_input = Some(Usd(2.0));
        assert_eq!(settings.choice().prices, Some((2.0, 6.0)));
    }
}
