//! Google's answers through SerpApi: `engine=google` with its `ai_overview` (a second call if only announced), and
//! `engine=google_ai_mode`. Source: serpapi.com/google-ai-overview-api, serpapi.com/google-ai-mode-api and clients of
//! both, copies of 2026-11-22.

use super::GoogleAnswer;
use super::blocks::{Page, Reference, searched};
use crate::ai::source::{AnswerSource, Outcome, Reading, Told};
use crate::http_client::Answer;
use crate::resilience::CallFailure;
use crate::search::serp_api::SerpApi;
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuestion, EngineLabel};
use serde_json::Value;

const DEEPEST: usize = 8;

pub(super) struct FromSerpApi {
    client: SerpApi,
    answer: GoogleAnswer,
}

impl FromSerpApi {
    pub(super) fn new(client: SerpApi, answer: GoogleAnswer) -> Self {
        Self { client, answer }
    }

    fn overview(body: &Value) -> Result<Reading, CallFailure> {
        let Some(overview) = body.get("ai_overview").filter(|it| !it.is_null()) else {
            return Ok(Reading::Whole(Box::new(Told {
                state: Outcome::NotShown,
                citations: Some(Vec::new()),
                retrieval: searched(),
                ..Told::default()
            })));
        };
        let token = overview.get("page_token").and_then(Value::as_str);
        if let Some(token) = token.filter(|_| overview.get("text_blocks").is_none()) {
            return Ok(Reading::Announced(token.to_owned()));
        }
        Self::shown(overview)
    }

    /// An overview without text is an error: it must not count as one that names no brand.
    fn shown(overview: &Value) -> Result<Reading, CallFailure> {
        let told = told(overview);
        if told.text.is_empty() {
            return Err(CallFailure::malformed("it holds an overview without words"));
        }
        Ok(Reading::Whole(Box::new(told)))
    }
}

fn told(answer: &Value) -> Told {
    let mut page = Page::default();
    for block in list(answer, "text_blocks") {
        add(&mut page, block, "", DEEPEST);
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
    let mut told = page.told(&references);
    if told.text.is_empty() {
        let whole = text(answer, "reconstructed_markdown").unwrap_or_default();
        whole.trim().clone_into(&mut told.text);
    }
    told
}

fn add(page: &mut Page, block: &Value, before: &str, deeper: usize) {
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
impl AnswerSource for FromSerpApi {
    fn label(&self) -> EngineLabel {
        self.answer.label()
    }

    fn name(&self) -> &'static str {
        "serpApi"
    }

    fn price(&self) -> Option<u64> {
        Some(self.client.price()).filter(|it| *it > 0)
    }

    fn calls(&self) -> u64 {
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

    async fn send(&self, question: &AiQuestion) -> Result<Answer, CallFailure> {
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
        self.client.asked(&parameters).await
    }

    fn read(&self, _: &AiQuestion, answer: &Answer) -> Result<Reading, CallFailure> {
        let body = self.client.value(answer)?;
        match self.answer {
            GoogleAnswer::Overview => Self::overview(&body),
            GoogleAnswer::Mode => Ok(Reading::Whole(Box::new(told(&body)))),
        }
    }

    async fn send_for(&self, token: &str) -> Result<Answer, CallFailure> {
        let parameters = [("engine", "google_ai_overview"), ("page_token", token)];
        self.client.asked(&parameters).await
    }

    fn read_for(&self, answer: &Answer) -> Result<Reading, CallFailure> {
        let body = self.client.value(answer)?;
        let nothing = Value::Null;
        Self::shown(body.get("ai_overview").unwrap_or(&nothing))
    }
}
