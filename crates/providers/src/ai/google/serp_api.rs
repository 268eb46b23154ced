//! Google's answers through SerpApi: `engine=google` with its `ai_overview` (a second call if only announced), and
//! `engine=google_ai_mode`. Source: serpapi.com/google-ai-overview-api, serpapi.com/google-ai-mode-api and clients of
//! both, copies of 2026-11-22.

use super::GoogleAnswer;
use super::blocks::{AnswerBuilder, Reference, forced_retrieval};
use crate::ai::source::{AnswerSource, Outcome, ParsedAnswer, ParsedResponse};
use crate::http_client::RawResponse;
use crate::resilience::CallFailure;
use crate::search::serp_api::SerpApi;
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuery, EngineLabel};
use serde_json::Value;

const MAX_DEPTH: usize = 8;

pub(super) struct SerpApiAnswers {
    client: SerpApi,
    answer: GoogleAnswer,
}

impl SerpApiAnswers {
    pub(super) fn new(client: SerpApi, answer: GoogleAnswer) -> Self {
        Self { client, answer }
    }

    fn read_overview(body: &Value) -> Result<ParsedResponse, CallFailure> {
        let Some(overview) = body.get("ai_overview").filter(|it| !it.is_null()) else {
            return Ok(ParsedResponse::Whole(Box::new(ParsedAnswer {
                state: Outcome::NotShown,
                citations: Some(Vec::new()),
                retrieval: forced_retrieval(),
                ..ParsedAnswer::default()
            })));
        };
        let token = overview.get("page_token").and_then(Value::as_str);
        if let Some(token) = token.filter(|_| overview.get("text_blocks").is_none()) {
            return Ok(ParsedResponse::Announced(token.to_owned()));
        }
        Self::parse_overview(overview)
    }

    /// An overview without text is an error: it must not count as one that names no brand.
    fn parse_overview(overview: &Value) -> Result<ParsedResponse, CallFailure> {
        let parsed = parse_answer(overview);
        if parsed.text.is_empty() {
            return Err(CallFailure::malformed("it holds an overview without words"));
        }
        Ok(ParsedResponse::Whole(Box::new(parsed)))
    }
}

fn parse_answer(answer: &Value) -> ParsedAnswer {
    let mut page = AnswerBuilder::default();
    for block in list(answer, "text_blocks") {
        add(&mut page, block, "", MAX_DEPTH);
    }
    let references: Vec<Reference<'_>> = (0_u64..)
        .zip(list(answer, "references"))
        .filter_map(|(place, it)| {
            Some(Reference {
                number: it.get("index").and_then(Value::as_u64).unwrap_or(place),
                url: text(it, "link")?,
                title: text(it, "title").or_else(|| text(it, "source")),
            })
        })
        .collect();
    let mut parsed = page.into_answer(&references);
    if parsed.text.is_empty() {
        let whole = text(answer, "reconstructed_markdown").unwrap_or_default();
        whole.trim().clone_into(&mut parsed.text);
    }
    parsed
}

fn add(page: &mut AnswerBuilder, block: &Value, before: &str, deeper: usize) {
    let sources: Vec<u64> = { list(block, "reference_indexes").iter() }
        .filter_map(Value::as_u64)
        .collect();
    let is_heading = text(block, "type") == Some("heading");
    let mark = if is_heading { "### " } else { before };
    let words: Vec<&str> = ["title", "snippet"]
        .into_iter()
        .filter_map(|name| text(block, name))
        .collect();
    page.add(mark, &words.join(" "), &sources);
    for row in list(block, "table").iter().chain(list(block, "formatted")) {
        let cells: Vec<&str> = { row.as_array().into_iter().flatten() }
            .filter_map(Value::as_str)
            .collect();
        page.add("- ", &cells.join(" | "), &sources);
    }
    if deeper == 0 {
        return;
    }
    let item = if before.is_empty() {
        "- ".to_owned()
    } else {
        format!("  {before}")
    };
    for it in list(block, "list") {
        add(page, it, &item, deeper - 1);
    }
    for it in list(block, "text_blocks") {
        add(page, it, before, deeper - 1);
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let list = value.get(name).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str().filter(|it| !it.is_empty())
}

#[async_trait]
impl AnswerSource for SerpApiAnswers {
    fn label(&self) -> EngineLabel {
        self.answer.label()
    }

    fn name(&self) -> &'static str {
        "serpApi"
    }

    fn max_price(&self) -> Option<u64> {
        Some(self.client.price()).filter(|it| *it > 0)
    }

    fn max_calls(&self) -> u64 {
        match self.answer {
            GoogleAnswer::Overview => 2,
            GoogleAnswer::Mode => 1,
        }
    }

    fn always_searches(&self) -> bool {
        true
    }

    fn without_secrets(&self, text: &str) -> String {
        self.client.without_key(text)
    }

    async fn send(&self, question: &AiQuery) -> Result<RawResponse, CallFailure> {
        let engine = match self.answer {
            GoogleAnswer::Overview => "google",
            GoogleAnswer::Mode => "google_ai_mode",
        };
        let mut parameters = vec![
            ("engine", engine),
            ("q", question.prompt.as_str()),
            ("gl", &question.country),
            ("hl", &question.language),
        ];
        if let Some(location) = &question.location {
            parameters.push(("location", location));
        }
        self.client.fetch(&parameters).await
    }

    fn read(&self, _: &AiQuery, answer: &RawResponse) -> Result<ParsedResponse, CallFailure> {
        let body = self.client.value(answer)?;
        match self.answer {
            GoogleAnswer::Overview => Self::read_overview(&body),
            GoogleAnswer::Mode => Ok(ParsedResponse::Whole(Box::new(parse_answer(&body)))),
        }
    }

    async fn send_announced(&self, token: &str) -> Result<RawResponse, CallFailure> {
        let parameters = [("engine", "google_ai_overview"), ("page_token", token)];
        self.client.fetch(&parameters).await
    }

    fn read_announced(&self, answer: &RawResponse) -> Result<ParsedResponse, CallFailure> {
        let body = self.client.value(answer)?;
        let nothing = Value::Null;
        Self::parse_overview(body.get("ai_overview").unwrap_or(&nothing))
    }
}
