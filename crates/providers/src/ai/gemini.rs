//! Gemini: `POST {base}/v1beta/models/{model}:generateContent` with the tool `google_search`.
//!
//! Source: ai.google.dev/gemini-api/docs/google-search and the reference of `GroundingMetadata`, copies of 2026-11-22.
//! Segments count UTF-8 bytes inside their part. The model decides whether to search. Source links are redirects at
//! Google that expire after some weeks, so each is resolved at once: one request to the redirect, none to its target. A
//! link that cannot be resolved keeps the domain in its title.

use super::failures::{body_failure, response_failure};
use super::price::TokenUsage;
use super::settings::{InputTokens, Model, ModelName, OutputTokens, prices};
use super::source::{AnswerSource, Outcome, ParsedAnswer, ParsedResponse};
use super::sources::{CitedPage, Sources};
use super::spans::{Unit, shifted, span};
use super::url_credentials::safe_url;
use super::{AiSupplier, guarded};
use crate::http_client::{RawResponse, parse_json, send_request};
use crate::resilience::CallFailure;
use crate::supplier::SupplierContext;
use analysis::observation::ai_answer::{AnswerCitation, CitationPart, TextSpan};
use analysis::provenance::Provenance;
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuery, EngineLabel, Retrieval};
use domain::ports::clock::Clock;
use futures_util::{StreamExt, stream};
use reqwest::{Client, header::LOCATION};
use serde::Deserialize;
use serde_json::{Value, json};
use setting::{Cost, Price, Secret, Usd, WebAddress, Within, settings};
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::time::timeout;
use url::Url;

/// Maximum number of redirects resolved per answer.
const MAX_LINKS: usize = 30;
const LINKS_AT_ONCE: usize = 6;
const LINKS_TIMEOUT: Duration = Duration::from_secs(10);

const DEFAULT_MODEL: &str = "gemini-3.8-flash";
/// US dollars per million input and output tokens, list price of autumn 2026.
const LIST_PRICES: (f64, f64) = (0.75, 3.75);

settings! {
    /// Gemini by its own API. Prices are in US dollars. A search cannot be forced.
    pub struct GeminiSettings {
        /// Key of the service.
        pub api_key: Option<Secret>,
        /// API URL.
        pub base_url: WebAddress = WebAddress::from_static("https://generativelanguage.googleapis.com"),
        /// Redirects of its sources; only these are followed, one hop.
        pub link_base: WebAddress =
            WebAddress::from_static("https://vertexaisearch.cloud.google.com/grounding-api-redirect/"),
        /// Model.
        pub model: ModelName = ModelName::fixed(DEFAULT_MODEL),
        /// US dollars for a million input tokens; required for other models than the default.
        pub price_per_million_input: Option<Price>,
        /// The same for output tokens.
        pub price_per_million_output: Option<Price>,
        /// US dollars for a search.
        pub price_per_search: Cost = Usd(0.014),
        /// Input tokens reserved for an answer, with search results.
        pub most_input_tokens: InputTokens = Within(10_000),
        /// Maximum of output tokens, reasoning included.
        pub most_output_tokens: OutputTokens = Within(8_000),
        /// Searches reserved; Gemini has no maximum.
        pub most_searches: Within<1, 50> = Within(4),
    }
}

impl GeminiSettings {
    fn model(&self) -> Option<Model> {
        let listed = (self.model.0 == DEFAULT_MODEL).then_some(LIST_PRICES);
        let set = (self.price_per_million_input, self.price_per_million_output);
        Some(Model {
            base_url: self.base_url.clone(),
            key: self.api_key.clone()?,
            name: self.model.0.clone(),
            prices: prices(set, listed, self.price_per_search),
            max_input_tokens: self.most_input_tokens.0.into(),
            max_output_tokens: self.most_output_tokens.0,
            max_searches: self.most_searches.0,
            force_search: false,
        })
    }
}

pub(super) const fn supplier<'a>() -> AiSupplier<'a> {
    AiSupplier {
        name: "gemini",
        section: "ai.gemini",
        needs: "ai.gemini.api_key",
        is_free: false,
        is_set: |(ai, _)| ai.gemini.api_key.is_some(),
        build: |(ai, _), ctx| Some(guarded(Gemini::new(&ai.gemini, ctx)?, ctx)),
    }
}

struct Gemini {
    model: Model,
    link_base: WebAddress,
    http: Client,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Usage>,
    model_version: Option<String>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    grounding_metadata: Option<Grounding>,
}

#[derive(Debug, Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Grounding {
    #[serde(rename = "webSearchQueries")]
    queries: Vec<String>,
    #[serde(rename = "groundingChunks")]
    chunks: Vec<Chunk>,
    #[serde(rename = "groundingSupports")]
    supports: Vec<Support>,
}

#[derive(Debug, Deserialize)]
struct Chunk {
    web: Option<Web>,
}

#[derive(Debug, Deserialize)]
struct Web {
    uri: Option<String>,
    title: Option<String>,
    domain: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Support {
    segment: Option<Segment>,
    #[serde(default)]
    grounding_chunk_indices: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Segment {
    #[serde(default)]
    part_index: usize,
    #[serde(default)]
    start_index: usize,
    #[serde(default)]
    end_index: usize,
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Usage {
    #[serde(rename = "promptTokenCount")]
    prompt: Option<u64>,
    #[serde(rename = "toolUsePromptTokenCount")]
    found: Option<u64>,
    #[serde(rename = "candidatesTokenCount")]
    written: Option<u64>,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts: Option<u64>,
}

impl Gemini {
    fn new(settings: &GeminiSettings, ctx: &SupplierContext) -> Option<Self> {
        Some(Self {
            model: settings.model()?,
            link_base: settings.link_base.clone(),
            http: ctx.http(),
            clock: ctx.clock(),
        })
    }

    fn body(&self, question: &AiQuery) -> Value {
        let mut body = json!({
            "contents": [{"role": "user", "parts": [{"text": question.prompt}]}],
            "generationConfig": {"maxOutputTokens": self.model.max_output_tokens},
        });
        if question.web_search {
            body["tools"] = json!([{"google_search": {}}]);
        }
        body
    }

    /// Replaces Google's redirects by their targets where they can be resolved.
    async fn resolve_links(&self, citations: &mut [AnswerCitation]) {
        let base = self.link_base.url();
        let links: Vec<String> = { citations.iter() }
            .map(|it| &it.url)
            .filter(|it| is_redirect_link(base, it))
            .take(MAX_LINKS)
            .cloned()
            .collect();
        if links.is_empty() {
            return;
        }
        let mut pages = HashMap::new();
        let followed = async {
            let requests = links.into_iter().map(|link| async move {
                let page = self.resolve_link(&link).await;
                (link, page)
            });
            let mut answers = stream::iter(requests).buffer_unordered(LINKS_AT_ONCE);
            while let Some((link, page)) = answers.next().await {
                pages.extend(page.map(|page| (link, page)));
            }
        };
        if timeout(LINKS_TIMEOUT, followed).await.is_err() {
            tracing::debug!("links of an answer took too long");
        }
        for it in citations {
            if let Some(page) = pages.remove(&it.url) {
                it.url = page;
            }
        }
    }

    /// Reads the redirect target without requesting it.
    async fn resolve_link(&self, link: &str) -> Option<String> {
        let answer = self.http.get(link).send().await.ok()?;
        if !answer.status().is_redirection() {
            return None;
        }
        let target = answer.headers().get(LOCATION)?.to_str().ok()?;
        safe_url(target)
    }

    fn parse_answer(&self, body: Body) -> Result<ParsedAnswer, CallFailure> {
        let blocked = body.prompt_feedback.and_then(|it| it.block_reason);
        let candidate = body.candidates.and_then(|it| it.into_iter().next());
        let Some(candidate) = candidate else {
            if blocked.is_some() {
                return Ok(ParsedAnswer {
                    served_model: body.model_version,
                    state: Outcome::Refused,
                    citations: Some(Vec::new()),
                    searches: Some(0),
                    cost: self.cost(body.usage_metadata.as_ref(), 0),
                    ..ParsedAnswer::default()
                });
            }
            return Err(CallFailure::malformed("it holds no answer"));
        };
        let state = match candidate.finish_reason.as_deref() {
            Some("STOP") => Outcome::Complete,
            Some("MAX_TOKENS") => Outcome::CutShort,
            Some(
                "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE"
                | "IMAGE_SAFETY",
            ) => Outcome::Refused,
            _ => return Err(CallFailure::malformed("it did not come to its end")),
        };
        let parts = candidate.content.map(|it| it.parts).unwrap_or_default();
        let (text, begins) = joined(&parts);
        let grounding = candidate.grounding_metadata.unwrap_or_default();
        let queries = grounding.queries.clone();
        let is_used = !queries.is_empty() || !grounding.chunks.is_empty();
        let searches = queries.len() as u64;
        let usage = body.usage_metadata.as_ref();
        Ok(ParsedAnswer {
            served_model: body.model_version,
            state,
            citations: Some(sources(&grounding, &parts, &begins, &text).in_order()),
            text,
            searches: Some(u32::try_from(searches).unwrap_or(u32::MAX)),
            queries,
            retrieval: Retrieval {
                forced: false,
                used: Some(is_used),
            },
            input_tokens: usage.and_then(Usage::input),
            output_tokens: usage.and_then(Usage::output),
            cost: self.cost(usage, searches),
            ..ParsedAnswer::default()
        })
    }

    fn cost(&self, usage: Option<&Usage>, searches: u64) -> Option<u64> {
        let (prices, usage) = self.model.prices.zip(usage)?;
        Some(prices.cost(TokenUsage {
            input: usage.input()?,
            output: usage.output()?,
            searches,
        }))
    }
}

impl Usage {
    fn input(&self) -> Option<u64> {
        let more = self.found.unwrap_or(0);
        self.prompt.map(|it| it.saturating_add(more))
    }

    /// A blocked answer has no candidate tokens.
    fn output(&self) -> Option<u64> {
        self.prompt?;
        let written = [self.written, self.thoughts];
        Some(written.into_iter().flatten().sum())
    }
}

/// Text of all non-thought parts, and the offset of each part in it.
fn joined(parts: &[Part]) -> (String, Vec<Option<usize>>) {
    let mut text = String::new();
    let begins = parts.iter().map(|part| {
        let words = part.text.as_deref().filter(|_| !part.thought)?;
        let begin = text.len();
        text.push_str(words);
        Some(begin)
    });
    let begins = begins.collect();
    (text, begins)
}

/// Pages supporting a segment are cited inline; the others are search results.
fn sources(grounding: &Grounding, parts: &[Part], begins: &[Option<usize>], text: &str) -> Sources {
    let mut sources = Sources::default();
    let page = |index: usize| {
        let web = grounding.chunks.get(index)?.web.as_ref()?;
        let title = web.title.as_deref();
        Some(CitedPage {
            url: web.uri.as_deref()?,
            title,
            domain: web.domain.as_deref().or(title.filter(|it| is_domain(it))),
        })
    };
    for support in &grounding.supports {
        let place =
            { support.segment.as_ref() }.and_then(|it| segment_span(it, parts, begins, text));
        for page in support
            .grounding_chunk_indices
            .iter()
            .filter_map(|it| page(*it))
        {
            sources.add(page, CitationPart::Inline, place);
        }
    }
    for page in (0..grounding.chunks.len()).filter_map(page) {
        sources.add(page, CitationPart::SearchResult, None);
    }
    sources
}

/// The segment's offsets if they match its text; otherwise the first occurrence of that text.
fn segment_span(
    segment: &Segment,
    parts: &[Part],
    begins: &[Option<usize>],
    text: &str,
) -> Option<TextSpan> {
    let begin = begins.get(segment.part_index).copied().flatten();
    let words = parts
        .get(segment.part_index)
        .and_then(|it| it.text.as_deref());
    let declared = begin.zip(words).and_then(|(begin, words)| {
        let found = span(words, segment.start_index, segment.end_index, Unit::Bytes)?;
        Some(shifted(found, begin))
    });
    let Some(segment_text) = segment.text.as_deref().filter(|it| !it.is_empty()) else {
        return declared;
    };
    if let Some(declared) = declared.filter(|it| text[it.start..it.end] == *segment_text) {
        return Some(declared);
    }
    let start = text.find(segment_text)?;
    Some(TextSpan {
        start,
        end: start + segment_text.len(),
    })
}

fn is_domain(title: &str) -> bool {
    title.contains('.') && !title.starts_with('.') && !title.ends_with('.') && { title.chars() }
        .all(|it| it.is_alphanumeric() || matches!(it, '.' | '-'))
}

fn is_redirect_link(base: &Url, link: &str) -> bool {
    Url::parse(link)
        .is_ok_and(|link| link.origin() == base.origin() && link.path().starts_with(base.path()))
}

#[async_trait]
impl AnswerSource for Gemini {
    fn label(&self) -> EngineLabel {
        EngineLabel {
            name: "gemini".to_owned(),
            title: "Gemini".to_owned(),
            provider: "google".to_owned(),
            model: Some(self.model.name.clone()),
            provenance: Provenance::Measured,
            has_sources: true,
            forces_retrieval: false,
        }
    }

    fn name(&self) -> &'static str {
        "gemini"
    }

    fn max_price(&self) -> Option<u64> {
        self.model.max_cost()
    }

    fn without_secrets(&self, text: &str) -> String {
        self.model.without_key(text)
    }

    async fn send(&self, question: &AiQuery) -> Result<RawResponse, CallFailure> {
        let model = &self.model.name;
        let path = format!("/v1beta/models/{model}:generateContent");
        let request = self
            .http
            .post(self.model.base_url.join_path(&path))
            .header("x-goog-api-key", self.model.key.reveal())
            .json(&self.body(question));
        send_request(request).await
    }

    fn read(&self, _: &AiQuery, answer: &RawResponse) -> Result<ParsedResponse, CallFailure> {
        let clean = |text: &str| self.model.without_key(text);
        if !answer.status.is_success() {
            return Err(response_failure(answer, clean, self.clock.now()));
        }
        let body: Body = parse_json(&answer.body)?;
        if let Some(error) = &body.error {
            return Err(body_failure(error, clean));
        }
        Ok(ParsedResponse::Whole(Box::new(self.parse_answer(body)?)))
    }

    async fn finish(&self, parsed: &mut ParsedAnswer) {
        if let Some(citations) = &mut parsed.citations {
            self.resolve_links(citations).await;
        }
    }
}
