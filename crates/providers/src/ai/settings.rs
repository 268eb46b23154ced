use super::price::{Taken, TokenPrices};
use crate::{
    resilience::ResilienceSettings,
    sandbox::SandboxSettings,
    search::{DataForSeoSettings, SerpApiSettings, wire_errors::without},
};
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;
use url::Url;

/// Which engines to ask. Without any, those of the sandbox answer.
#[derive(Debug, Clone)]
pub struct AiSettings {
    /// `chatgpt`: the Responses API of OpenAI.
    pub chatgpt: Option<ModelSettings>,
    /// `perplexity`: the Agent API of Perplexity.
    pub perplexity: Option<ModelSettings>,
    pub gemini: Option<ModelSettings>,
    /// `claude`: the Messages API of Anthropic.
    pub claude: Option<ModelSettings>,
    pub compatible: Option<CompatibleSettings>,
    /// `googleAiOverview` and `googleAiMode`.
    pub google: GoogleAnswerSettings,
    pub sandbox: SandboxSettings,
    /// How calls are guarded, each engine by itself.
    pub resilience: ResilienceSettings,
    pub paid_calls: bool,
    /// What a call may cost, in millionths of a US dollar; `None` sets no bound.
    pub most_per_call: Option<u64>,
}

#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// Without the path of an operation, for example `https://api.openai.com`.
    pub base_url: Url,
    pub api_key: SecretString,
    pub model: String,
    /// What it costs; `None` when nobody knows, and then it is not asked.
    pub prices: Option<TokenPrices>,
    /// Tokens that a call may read, results of searches included: an estimate, to set aside for.
    pub most_input_tokens: u64,
    /// Tokens that a call may write, thoughts included.
    pub most_output_tokens: u32,
    /// Searches that a call may make, where the service takes a bound; what is set aside for.
    pub most_searches: u32,
    /// Whether it is told to search in a way that it cannot pass over. Some models refuse that.
    pub force_search: bool,
    /// Where the service's own links lead through first; only they are followed, and one step.
    pub link_base: Option<Url>,
}

#[derive(Debug, Clone)]
pub struct CompatibleSettings {
    /// Up to the version, for example `http://localhost:11434/v1`.
    pub base_url: Url,
    pub api_key: Option<SecretString>,
    pub model: String,
    /// What it costs; nothing at all makes it free, `None` is unknown, and then it is not asked.
    pub prices: Option<TokenPrices>,
    pub most_input_tokens: u64,
    pub most_output_tokens: u32,
}

#[derive(Debug, Clone)]
pub struct GoogleAnswerSettings {
    /// SerpApi, which is asked first.
    pub serp_api: Option<SerpApiSettings>,
    /// DataForSEO, which stands in for it.
    pub data_for_seo: Option<DataForSeoSettings>,
    pub overview: bool,
    pub mode: bool,
    /// What an answer of AI Mode costs at DataForSEO at the most, in millionths of a US dollar.
    pub mode_price: u64,
}

impl Default for AiSettings {
    fn default() -> Self {
        Self {
            chatgpt: None,
            perplexity: None,
            gemini: None,
            claude: None,
            compatible: None,
            google: GoogleAnswerSettings {
                serp_api: None,
                data_for_seo: None,
                overview: true,
                mode: true,
                mode_price: 4_000,
            },
            sandbox: SandboxSettings::default(),
            resilience: ResilienceSettings {
                call_timeout: Duration::from_secs(90),
                ..ResilienceSettings::default()
            },
            paid_calls: true,
            most_per_call: None,
        }
    }
}

impl ModelSettings {
    /// The most that a call costs, in millionths of a US dollar.
    pub(super) fn most(&self) -> Option<u64> {
        let taken = Taken {
            input: self.most_input_tokens,
            output: self.most_output_tokens.into(),
            searches: self.most_searches.into(),
        };
        self.prices.map(|it| it.of(taken))
    }

    pub(super) fn address(&self, path: &str) -> String {
        let base = self.base_url.as_str().trim_end_matches('/');
        format!("{base}{path}")
    }

    pub(super) fn without_key(&self, text: &str) -> String {
        without(self.api_key.expose_secret(), text)
    }
}
