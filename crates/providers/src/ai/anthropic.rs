//! Claude through Anthropic's Messages API: `POST {base}/v1/messages` with the tool `web_search_20250305`.
//!
//! Source: platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool and the notes on Claude Sonnet 5.5,
//! copies of 2026-11-22. Models from Sonnet 5.5 on reject a forced tool with 400, so `force_search` is off by default.
//! Tool errors come with HTTP 200. Later versions of the tool run code on results and cost more, so the first is used.

use super::failures::{body_failure, response_failure};
use super::openai::SEARCH_FAILED_IN_PART;
use super::price::TokenUsage;
use super::settings::{Model, Service};
use super::source::{AnswerSource, Outcome, ParsedAnswer, ParsedResponse};
use super::sources::{CitedPage, Sources};
use super::user_location::approximate_location;
use super::{AiSupplier, guarded};
use crate::http_client::{RawResponse, parse_json, send_request};
use crate::resilience::CallFailure;
use crate::supplier::SupplierContext;
use analysis::observation::ai_answer::{CitationPart, TextSpan};
use analysis::provenance::Provenance;
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuery, EngineLabel, Retrieval};
use domain::ports::clock::Clock;
use reqwest::Client;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

const TOOL: &str = "web_search_20250305";
const VERSION: &str = "2023-06-01";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claude;

impl Service for Claude {
    const BASE_URL: &'static str = "https://api.anthropic.com";
    const MODEL: &'static str = "claude-sonnet-5-5";
    const LIST_PRICES: (f64, f64) = (2.0, 10.0);
    const PRICE_PER_SEARCH: f64 = 0.01;
    const MAX_INPUT_TOKENS: u32 = 60_000;
    const MAX_OUTPUT_TOKENS: u32 = 8_000;
    const MAX_SEARCHES: u32 = 3;
    const FORCE_SEARCH: bool = false;
}

pub(super) const fn supplier<'a>() -> AiSupplier<'a> {
    AiSupplier {
        name: "claude",
        section: "ai.claude",
        needs: "ai.claude.api_key",
        is_free: false,
        is_set: |(ai, _)| ai.claude.api_key.is_some(),
        build: |(ai, _), ctx| Some(guarded(Anthropic::new(ai.claude.model()?, ctx), ctx)),
    }
}

struct Anthropic {
    model: Model,
    http: Client,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Deserialize)]
struct Message {
    model: Option<String>,
    content: Option<Vec<Block>>,
    stop_reason: Option<String>,
    usage: Option<Usage>,
    error: Option<Value>,
}

/// One content block; the fields that are set depend on `kind`.
#[derive(Debug, Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    citations: Option<Vec<Cited>>,
    name: Option<String>,
    input: Option<Value>,
    content: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Cited {
    url: Option<String>,
    title: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    server_tool_use: Option<ServerTools>,
}

#[derive(Debug, Deserialize)]
struct ServerTools {
    web_search_requests: Option<u64>,
}

#[derive(Default)]
struct AnswerBuilder {
    text: String,
    sources: Sources,
    found: Vec<(String, Option<String>)>,
    queries: Vec<String>,
    /// Searches that returned a result list, even an empty one.
    successful_searches: u32,
    failed: Option<Value>,
    /// Whether another block came since the last text block.
    is_interrupted: bool,
}

impl Anthropic {
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
            "max_tokens": self.model.max_output_tokens,
            "messages": [{"role": "user", "content": question.prompt}],
        });
        if question.web_search {
            body["tools"] = json!([{
                "type": TOOL,
                "name": "web_search",
                "max_uses": self.model.max_searches.max(1),
                "user_location": approximate_location(question),
            }]);
            if self.model.force_search {
                body["tool_choice"] = json!({"type": "tool", "name": "web_search"});
            }
        }
        body
    }

    fn parse_answer(
        &self,
        question: &AiQuery,
        message: Message,
    ) -> Result<ParsedAnswer, CallFailure> {
        let mut gathered = AnswerBuilder::default();
        for block in message.content.iter().flatten() {
            gathered.add_block(block);
        }
        if let Some(error) = gathered
            .failed
            .as_ref()
            .filter(|_| gathered.successful_searches == 0)
        {
            return Err(body_failure(&tool_error(error), |text| {
                self.model.without_key(text)
            }));
        }
        for (url, title) in &gathered.found {
            let page = CitedPage::new(url, title.as_deref());
            gathered.sources.add(page, CitationPart::SearchResult, None);
        }
        let usage = message.usage.as_ref();
        let input = usage.and_then(|it| {
            let cached = [it.cache_creation_input_tokens, it.cache_read_input_tokens];
            let cached: u64 = cached.into_iter().flatten().sum();
            Some(it.input_tokens?.saturating_add(cached))
        });
        let output = usage.and_then(|it| it.output_tokens);
        let searches = { usage.and_then(|it| it.server_tool_use.as_ref()) }
            .and_then(|it| it.web_search_requests)
            .unwrap_or_else(|| gathered.successful_searches.into());
        let taken = |(input, output)| TokenUsage {
            input,
            output,
            searches,
        };
        Ok(ParsedAnswer {
            served_model: message.model,
            state: match message.stop_reason.as_deref() {
                Some("refusal") => Outcome::Refused,
                Some("max_tokens" | "model_context_window_exceeded" | "pause_turn") => {
                    Outcome::CutShort
                }
                _ => Outcome::Complete,
            },
            text: gathered.text,
            citations: Some(gathered.sources.in_order()),
            searches: Some(u32::try_from(searches).unwrap_or(u32::MAX)),
            queries: gathered.queries,
            retrieval: Retrieval {
                forced: question.web_search && self.model.force_search,
                used: Some(searches > 0),
            },
            input_tokens: input,
            output_tokens: output,
            cost: { self.model.prices.zip(input.zip(output)) }
                .map(|(prices, tokens)| prices.cost(taken(tokens))),
            warnings: gathered
                .failed
                .map(|_| SEARCH_FAILED_IN_PART)
                .into_iter()
                .collect(),
        })
    }
}

/// Converts the tool's error into the shape that [`inside`] reads.
fn tool_error(error: &Value) -> Value {
    json!({"code": error.get("error_code"), "message": "its search failed"})
}

impl AnswerBuilder {
    fn add_block(&mut self, block: &Block) {
        match block.kind.as_str() {
            "text" => self.add_text(block),
            "server_tool_use" => {
                self.is_interrupted = true;
                let query = block
                    .input
                    .as_ref()
                    .and_then(|it| it.get("query")?.as_str());
                if block.name.as_deref() == Some("web_search") {
                    self.queries.extend(query.map(str::to_owned));
                }
            }
            "web_search_tool_result" => {
                self.is_interrupted = true;
                self.add_results(block.content.as_ref());
            }
            _ => self.is_interrupted = true,
        }
    }

    /// A new block starts wherever the cited sources change, even inside a sentence.
    fn add_text(&mut self, block: &Block) {
        let Some(words) = block.text.as_deref().filter(|it| !it.is_empty()) else {
            return;
        };
        if self.is_interrupted && !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.is_interrupted = false;
        let start = self.text.len();
        self.text.push_str(words);
        let span = TextSpan {
            start,
            end: self.text.len(),
        };
        for it in block.citations.iter().flatten() {
            if let Some(url) = it.url.as_deref() {
                let page = CitedPage::new(url, it.title.as_deref());
                self.sources.add(page, CitationPart::Inline, Some(span));
            }
        }
    }

    fn add_results(&mut self, content: Option<&Value>) {
        let Some(results) = content.and_then(Value::as_array) else {
            self.failed = self.failed.take().or_else(|| content.cloned());
            return;
        };
        self.successful_searches += 1;
        let text = |it: &Value, name: &str| it.get(name)?.as_str().map(str::to_owned);
        let pages = results
            .iter()
            .filter_map(|it| Some((text(it, "url")?, text(it, "title"))));
        self.found.extend(pages);
    }
}

#[async_trait]
impl AnswerSource for Anthropic {
    fn label(&self) -> EngineLabel {
        EngineLabel {
            name: "claude".to_owned(),
            title: "Claude".to_owned(),
            provider: "anthropic".to_owned(),
            model: Some(self.model.name.clone()),
            provenance: Provenance::Measured,
            has_sources: true,
            forces_retrieval: self.model.force_search,
        }
    }

    fn name(&self) -> &'static str {
        "anthropic"
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
            .post(self.model.base_url.join_path("/v1/messages"))
            .header("x-api-key", self.model.key.reveal())
            .header("anthropic-version", VERSION)
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
        let message: Message = parse_json(&answer.body)?;
        if let Some(error) = &message.error {
            return Err(body_failure(error, clean));
        }
        if message.content.is_none() || message.stop_reason.is_none() {
            return Err(CallFailure::malformed("it holds no answer"));
        }
        Ok(ParsedResponse::Whole(Box::new(
            self.parse_answer(question, message)?,
        )))
    }
}
