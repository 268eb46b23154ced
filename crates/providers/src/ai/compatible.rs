//! Any endpoint compatible with OpenAI's chat completions: `POST {base}/chat/completions`, without search. Local
//! servers (Ollama, vLLM, llama.cpp) and most hosted ones qualify. Links in such answers are often invented, so answers
//! have no sources.
//!
//! Source: OpenAI's API reference for chat completions, copy of 2026-11-22; local servers read `max_tokens`.

use super::failures::{body_failure, response_failure};
use super::price::{TokenPrices, TokenUsage};
use super::settings::{InputTokens, ModelName, OutputTokens};
use super::source::{AnswerSource, Outcome, ParsedAnswer, ParsedResponse};
use super::{AiSupplier, guarded};
use crate::http_client::{RawResponse, parse_json, send_request};
use crate::resilience::CallFailure;
use crate::search::wire_errors::redact;
use crate::supplier::SupplierContext;
use analysis::provenance::Provenance;
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuery, EngineLabel, Retrieval};
use domain::ports::clock::Clock;
use reqwest::Client;
use serde::Deserialize;
use serde_json::{Value, json};
use setting::{Cost, Secret, WebAddress, Within, settings};
use std::sync::Arc;

settings! {
    /// Any endpoint compatible with OpenAI's chat completions. Prices are in US dollars.
    pub struct CompatibleSettings {
        /// Endpoint like OpenAI's chat completions, with its version: `http://localhost:11434/v1`.
        pub base_url: Option<WebAddress>,
        /// Its key, if any.
        pub api_key: Option<Secret>,
        /// Model.
        pub model: ModelName = ModelName::fixed("llama3.2"),
        /// US dollars for a million input tokens; required, 0 for your own.
        pub price_per_million_input: Option<Cost>,
        /// The same for output tokens.
        pub price_per_million_output: Option<Cost>,
        /// Input tokens reserved for a question.
        pub most_input_tokens: InputTokens = Within(4_000),
        /// Maximum of output tokens.
        pub most_output_tokens: OutputTokens = Within(4_000),
    }
}

pub(super) const fn supplier<'a>() -> AiSupplier<'a> {
    AiSupplier {
        name: "compatible",
        section: "ai.compatible",
        needs: "ai.compatible.base_url",
        is_free: false,
        is_set: |(ai, _)| ai.compatible.base_url.is_some(),
        build: |(ai, _), ctx| Some(guarded(Compatible::new(&ai.compatible, ctx)?, ctx)),
    }
}

struct Compatible {
    settings: CompatibleSettings,
    base_url: WebAddress,
    /// All zero: free. `None`: unknown, so the engine is not queried.
    prices: Option<TokenPrices>,
    http: Client,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Deserialize)]
struct Completion {
    model: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<Usage>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    message: ChatMessage,
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ChatMessage {
    /// A string or a list of parts.
    content: Option<Value>,
    refusal: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

impl Compatible {
    fn new(settings: &CompatibleSettings, ctx: &SupplierContext) -> Option<Self> {
        let prices = {
            settings
                .price_per_million_input
                .zip(settings.price_per_million_output)
        }
        .map(|(input, output)| TokenPrices {
            per_million_input: input.micros(),
            per_million_output: output.micros(),
            ..TokenPrices::default()
        });
        Some(Self {
            base_url: settings.base_url.clone()?,
            settings: settings.clone(),
            prices,
            http: ctx.http(),
            clock: ctx.clock(),
        })
    }

    fn without_key(&self, text: &str) -> String {
        let key = self.settings.api_key.as_ref();
        key.map_or_else(|| text.to_owned(), |it| redact(it.reveal(), text))
    }

    fn parse_answer(
        &self,
        model: Option<String>,
        choice: &Choice,
        usage: Option<&Usage>,
    ) -> ParsedAnswer {
        let input = usage.and_then(|it| it.prompt_tokens);
        let output = usage.and_then(|it| it.completion_tokens);
        let refused = choice.message.refusal.as_deref();
        ParsedAnswer {
            served_model: model,
            state: match choice.finish_reason.as_deref() {
                _ if refused.is_some_and(|it| !it.is_empty()) => Outcome::Refused,
                Some("content_filter") => Outcome::Refused,
                Some("length") => Outcome::CutShort,
                _ => Outcome::Complete,
            },
            text: choice.message.text(),
            citations: None,
            searches: Some(0),
            retrieval: Retrieval {
                forced: false,
                used: Some(false),
            },
            input_tokens: input,
            output_tokens: output,
            cost: { self.prices.zip(input.zip(output)) }.map(|(prices, (input, output))| {
                prices.cost(TokenUsage {
                    input,
                    output,
                    searches: 0,
                })
            }),
            ..ParsedAnswer::default()
        }
    }
}

impl ChatMessage {
    /// Without the `<think>` section that some models put first.
    fn text(&self) -> String {
        let whole = match &self.content {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => { parts.iter() }
                .filter_map(|it| it.get("text")?.as_str())
                .collect(),
            _ => String::new(),
        };
        let Some(thoughts) = whole.trim_start().strip_prefix("<think>") else {
            return whole;
        };
        let words = thoughts.split_once("</think>").map(|(_, words)| words);
        words.map(str::trim_start).unwrap_or_default().to_owned()
    }
}

#[async_trait]
impl AnswerSource for Compatible {
    fn label(&self) -> EngineLabel {
        EngineLabel {
            name: "compatible".to_owned(),
            title: self.settings.model.0.clone(),
            provider: "compatible".to_owned(),
            model: Some(self.settings.model.0.clone()),
            provenance: Provenance::Measured,
            has_sources: false,
            forces_retrieval: false,
        }
    }

    fn name(&self) -> &'static str {
        "compatible"
    }

    fn max_price(&self) -> Option<u64> {
        let prices = self.prices?;
        if prices.is_free() {
            return Some(0);
        }
        Some(prices.cost(TokenUsage {
            input: self.settings.most_input_tokens.0.into(),
            output: self.settings.most_output_tokens.0.into(),
            searches: 0,
        }))
    }

    fn without_secrets(&self, text: &str) -> String {
        self.without_key(text)
    }

    async fn send(&self, question: &AiQuery) -> Result<RawResponse, CallFailure> {
        let mut request = self
            .http
            .post(self.base_url.join_path("/chat/completions"))
            .json(&json!({
                "model": self.settings.model.0,
                "messages": [{"role": "user", "content": question.prompt}],
                "max_tokens": self.settings.most_output_tokens.0,
                "stream": false,
            }));
        if let Some(key) = &self.settings.api_key {
            request = request.bearer_auth(key.reveal());
        }
        send_request(request).await
    }

    fn read(&self, _: &AiQuery, answer: &RawResponse) -> Result<ParsedResponse, CallFailure> {
        let clean = |text: &str| self.without_key(text);
        if !answer.status.is_success() {
            return Err(response_failure(answer, clean, self.clock.now()));
        }
        let completion: Completion = parse_json(&answer.body)?;
        if let Some(error) = completion.error.as_ref().filter(|it| !it.is_null()) {
            return Err(body_failure(error, clean));
        }
        let choice = { completion.choices.as_deref() }
            .and_then(<[Choice]>::first)
            .ok_or_else(|| CallFailure::malformed("it holds no answer"))?;
        let parsed = self.parse_answer(completion.model.clone(), choice, completion.usage.as_ref());
        Ok(ParsedResponse::Whole(Box::new(parsed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinking_sections_are_removed() {
        let text = |content: Value| {
            ChatMessage {
                content: Some(content),
                refusal: None,
            }
            .text()
        };
        assert_eq!(
            text(json!("<think>\nAcme?\n</think>\n\nTake it.")),
            "Take it."
        );
        assert_eq!(text(json!("<think> for ever")), "");
        assert_eq!(
            text(json!([{"type": "text", "text": "A "}, {"text": "b"}])),
            "A b"
        );
        assert_eq!(text(json!("a <think> b")), "a <think> b");
    }
}
