//! ChatGPT through OpenAI's Responses API: `POST {base}/v1/responses` with the tool `web_search`.
//!
//! Source: developers.openai.com/api/docs/guides/tools-web-search and the API reference, copies of 2026-11-22. The unit
//! of `start_index` is not documented: see [`cited_span`](super::spans::cited_span). Not verified against the live
//! service: that the default model accepts `tool_choice: required` with the tool.

use super::failures::response_failure;
use super::price::TokenUsage;
use super::responses::{Item, Response};
use super::settings::{Model, Service};
use super::source::{AnswerSource, ParsedAnswer, ParsedResponse};
use super::sources::{CitedPage, Sources};
use super::spans::{cited_span, shifted};
use super::user_location::approximate_location;
use super::{AiSupplier, guarded};
use crate::http_client::{RawResponse, send_request};
use crate::resilience::{CallFailure, Repeat};
use crate::supplier::SupplierContext;
use analysis::{observation::ai_answer::CitationPart, provenance::Provenance};
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuery, EngineLabel, Retrieval};
use domain::ports::clock::Clock;
use domain::ports::search_results::ProviderError;
use reqwest::Client;
use serde_json::{Value, json};
use std::sync::Arc;

/// Warning code: some of an answer's searches failed.
pub(super) const SEARCH_FAILED_IN_PART: &str = "searchFailedInPart";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chatgpt;

impl Service for Chatgpt {
    const BASE_URL: &'static str = "https://api.openai.com";
    const MODEL: &'static str = "gpt-6.1-terra";
    const LIST_PRICES: (f64, f64) = (1.0, 5.0);
    const PRICE_PER_SEARCH: f64 = 0.01;
    const MAX_INPUT_TOKENS: u32 = 60_000;
    const MAX_OUTPUT_TOKENS: u32 = 8_000;
    const MAX_SEARCHES: u32 = 4;
    const FORCE_SEARCH: bool = true;
}

pub(super) const fn supplier<'a>() -> AiSupplier<'a> {
    AiSupplier {
        name: "chatgpt",
        section: "ai.chatgpt",
        needs: "ai.chatgpt.api_key",
        is_free: false,
        is_set: |(ai, _)| ai.chatgpt.api_key.is_some(),
        build: |(ai, _), ctx| Some(guarded(OpenAi::new(ai.chatgpt.model()?, ctx), ctx)),
    }
}

struct OpenAi {
    model: Model,
    http: Client,
    clock: Arc<dyn Clock>,
}

impl OpenAi {
    fn new(model: Model, ctx: &SupplierContext) -> Self {
        Self {
            model,
            http: ctx.http(),
            clock: ctx.clock(),
        }
    }

    fn body(&self, question: &AiQuery) -> Value {
        let mut body = json!({
            "model": self.model.name,
            "input": question.prompt,
            "max_output_tokens": self.model.max_output_tokens,
            "store": false,
        });
        if question.web_search {
            body["tools"] = json!([{
                "type": "web_search",
                "user_location": approximate_location(question),
            }]);
            body["include"] = json!(["web_search_call.action.sources"]);
            body["max_tool_calls"] = json!(self.model.max_searches);
            if self.model.force_search {
                body["tool_choice"] = json!("required");
            }
        }
        body
    }

    fn parse_answer(
        &self,
        question: &AiQuery,
        response: &Response,
    ) -> Result<ParsedAnswer, CallFailure> {
        let searches: Vec<&Item> = { response.output.iter() }
            .filter(|it| it.kind == "web_search_call")
            .collect();
        let is_failed = |it: &&Item| it.status.as_deref() == Some("failed");
        let failed = searches.iter().copied().filter(|it| is_failed(it)).count();
        if failed > 0 && failed == searches.len() {
            return Err(CallFailure {
                error: ProviderError::Unavailable,
                repeat: Repeat::Uncertain,
            });
        }
        let (text, passages) = response.passages();
        let mut sources = Sources::default();
        for passage in &passages {
            for it in passage.annotations {
                let Some(url) = it.url.as_deref() else {
                    continue;
                };
                let span = it.start_index.zip(it.end_index);
                let span = span.and_then(|(start, end)| cited_span(passage.text, start, end, url));
                let span = span.map(|span| shifted(span, passage.begin));
                let page = CitedPage::new(url, it.title.as_deref());
                sources.add(page, CitationPart::Inline, span);
            }
        }
        let (mut queries, mut made) = (Vec::new(), 0_u32);
        for action in searches.iter().filter_map(|it| it.action.as_ref()) {
            // Opening a page is not a search and is not billed as one.
            made += u32::from(action.kind.as_deref().is_none_or(|it| it == "search"));
            match &action.queries {
                Some(several) if !several.is_empty() => queries.extend(several.iter().cloned()),
                _ => queries.extend(action.query.clone()),
            }
            for it in action.sources.iter().flatten() {
                if let Some(url) = it.url.as_deref() {
                    let page = CitedPage::new(url, it.title.as_deref());
                    sources.add(page, CitationPart::SearchResult, None);
                }
            }
        }
        let unnamed = searches.iter().filter(|it| it.action.is_none()).count();
        let made = made.saturating_add(u32::try_from(unnamed).unwrap_or(u32::MAX));
        let basics = response.base_answer();
        let cost = {
            self.model
                .prices
                .zip(basics.input_tokens.zip(basics.output_tokens))
        }
        .map(|(prices, (input, output))| {
            prices.cost(TokenUsage {
                input,
                output,
                searches: made.into(),
            })
        });
        Ok(ParsedAnswer {
            text,
            citations: Some(sources.in_order()),
            searches: Some(made),
            queries,
            retrieval: Retrieval {
                forced: question.web_search && self.model.force_search,
                used: Some(made > 0),
            },
            cost,
            warnings: (failed > 0)
                .then_some(SEARCH_FAILED_IN_PART)
                .into_iter()
                .collect(),
            ..basics
        })
    }
}

#[async_trait]
impl AnswerSource for OpenAi {
    fn label(&self) -> EngineLabel {
        EngineLabel {
            name: "chatgpt".to_owned(),
            title: "ChatGPT".to_owned(),
            provider: "openai".to_owned(),
            model: Some(self.model.name.clone()),
            provenance: Provenance::Measured,
            has_sources: true,
            forces_retrieval: self.model.force_search,
        }
    }

    fn name(&self) -> &'static str {
        "openAi"
    }

    fn max_price(&self) -> Option<u64> {
        self.model.max_cost()
    }

    fn without_secrets(&self, text: &str) -> String {
        self.model.without_key(text)
    }

    async fn send(&self, question: &AiQuery) -> Result<RawResponse, CallFailure> {
        let request = self
            .http
            .post(self.model.base_url.join_path("/v1/responses"))
            .bearer_auth(self.model.key.reveal())
            .json(&self.body(question));
        send_request(request).await
    }

    fn read(
        &self,
        question: &AiQuery,
        answer: &RawResponse,
    ) -> Result<ParsedResponse, CallFailure> {
        let clean = |text: &str| self.model.without_key(text);
        if !answer.status.is_success() {
            return Err(response_failure(answer, clean, self.clock.now()));
        }
        let response = Response::parse(&answer.body, clean)?;
        let parsed = self.parse_answer(question, &response)?;
        Ok(ParsedResponse::Whole(Box::new(parsed)))
    }
}
