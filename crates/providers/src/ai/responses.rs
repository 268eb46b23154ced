//! Responses in the format of OpenAI's Responses API, which Perplexity uses too.

use super::failures::body_failure;
use super::source::{Outcome, ParsedAnswer};
use crate::{http_client::parse_json, resilience::CallFailure};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct Response {
    pub model: Option<String>,
    pub status: String,
    pub error: Option<Value>,
    pub incomplete_details: Option<Incomplete>,
    #[serde(deserialize_with = "deserialize_known_items")]
    pub output: Vec<Item>,
    pub usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Incomplete {
    reason: Option<String>,
}

/// One output item; the fields that are set depend on `kind`.
#[derive(Debug, Deserialize)]
pub(super) struct Item {
    #[serde(rename = "type")]
    pub kind: String,
    pub status: Option<String>,
    /// `commentary` for intermediate text, or `final_answer`.
    phase: Option<String>,
    pub action: Option<Action>,
    pub content: Option<Vec<Part>>,
    pub queries: Option<Vec<String>>,
    pub results: Option<Vec<SearchHit>>,
}

/// Keeps items of known types; others may have any shape.
fn deserialize_known_items<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Item>, D::Error> {
    let items: Vec<Value> = Vec::deserialize(deserializer)?;
    let read = items.into_iter().filter(|it| {
        let kind = it.get("type").and_then(Value::as_str);
        matches!(kind, Some("message" | "web_search_call" | "search_results"))
    });
    read.map(|it| serde_json::from_value(it).map_err(D::Error::custom))
        .collect()
}

#[derive(Debug, Deserialize)]
pub(super) struct Action {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub query: Option<String>,
    pub queries: Option<Vec<String>>,
    pub sources: Option<Vec<SearchHit>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Part {
    #[serde(rename = "type")]
    pub kind: String,
    pub text: Option<String>,
    pub annotations: Option<Vec<Annotation>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Annotation {
    pub start_index: Option<usize>,
    pub end_index: Option<usize>,
    pub url: Option<String>,
    pub title: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SearchHit {
    pub id: Option<Value>,
    pub url: Option<String>,
    pub title: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Usage {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cost: Option<Cost>,
    pub tool_calls_details: Option<Value>,
}

/// In US dollars.
#[derive(Debug, Deserialize)]
pub(super) struct Cost {
    pub total_cost: Option<f64>,
}

/// A text part and its offset in the whole text.
pub(super) struct Passage<'a> {
    pub text: &'a str,
    pub begin: usize,
    pub annotations: &'a [Annotation],
}

impl Response {
    /// A failed response has a success status too.
    pub(super) fn parse(
        body: &[u8],
        without_secrets: impl Fn(&str) -> String,
    ) -> Result<Self, CallFailure> {
        let response: Self = parse_json(body)?;
        let error = response.error.as_ref().filter(|it| !it.is_null());
        match (response.status.as_str(), error) {
            ("completed" | "incomplete", None) => Ok(response),
            (_, Some(error)) => Err(body_failure(error, without_secrets)),
            ("failed" | "cancelled", None) => Err(body_failure(&Value::Null, without_secrets)),
            _ => Err(CallFailure::malformed("it is not complete")),
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        if self.parts().any(|it| it.kind == "refusal") {
            return Outcome::Refused;
        }
        if self.status != "incomplete" {
            return Outcome::Complete;
        }
        let reason = self.incomplete_details.as_ref();
        match reason.and_then(|it| it.reason.as_deref()) {
            Some("content_filter") => Outcome::Refused,
            _ => Outcome::CutShort,
        }
    }

    pub(super) fn base_answer(&self) -> ParsedAnswer {
        let usage = self.usage.as_ref();
        ParsedAnswer {
            served_model: self.model.clone(),
            state: self.outcome(),
            input_tokens: usage.and_then(|it| it.input_tokens),
            output_tokens: usage.and_then(|it| it.output_tokens),
            ..ParsedAnswer::default()
        }
    }

    /// The text and its parts, without commentary.
    pub(super) fn passages(&self) -> (String, Vec<Passage<'_>>) {
        let mut text = String::new();
        let mut passages = Vec::new();
        let words = self.parts().filter(|it| it.kind == "output_text");
        for part in words {
            let Some(words) = part.text.as_deref() else {
                continue;
            };
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            passages.push(Passage {
                text: words,
                begin: text.len(),
                annotations: part.annotations.as_deref().unwrap_or_default(),
            });
            text.push_str(words);
        }
        (text, passages)
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        let messages = self
            .output
            .iter()
            .filter(|it| it.kind == "message" && it.phase.as_deref() != Some("commentary"));
        messages.flat_map(|it| it.content.as_deref().unwrap_or_default())
    }
}
