//! Perplexity's Agent API: `POST {base}/v1/agent` with the tool `web_search`. The Sonar chat completions ended on
//! 2026-09-27.
//!
//! Source: docs.perplexity.ai/api-reference/agent-post, the guide to migrating from Sonar, and
//! github.com/perplexityai/api-platform-developers, copies of 2026-11-22. Unknown fields are rejected, so only
//! documented ones are sent. Not verified against the live service: a location with a country alone.

use super::failures::response_failure;
use super::responses::Response;
use super::settings::{Model, Service};
use super::source::{AnswerSource, ParsedAnswer, ParsedResponse};
use super::sources::{CitedPage, Sources};
use super::spans::{cited_span, shifted};
use super::user_location::city;
use super::{AiSupplier, guarded};
use crate::http_client::{RawResponse, send_request};
use crate::resilience::CallFailure;
use crate::supplier::SupplierContext;
use analysis::observation::ai_answer::{CitationPart, TextSpan};
use analysis::provenance::Provenance;
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuery, EngineLabel, Retrieval};
use domain::ports::clock::Clock;
use reqwest::Client;
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Perplexity;

impl Service for Perplexity {
    const BASE_URL: &'static str = "https://api.perplexity.ai";
    const MODEL: &'static str = "perplexity/sonar";
    const LIST_PRICES: (f64, f64) = (0.25, 2.5);
    const PRICE_PER_SEARCH: f64 = 0.005;
    const MAX_INPUT_TOKENS: u32 = 30_000;
    const MAX_OUTPUT_TOKENS: u32 = 4_000;
    const MAX_SEARCHES: u32 = 4;
    const FORCE_SEARCH: bool = true;
}

pub(super) const fn supplier<'a>() -> AiSupplier<'a> {
    AiSupplier {
        name: "perplexity",
        section: "ai.perplexity",
        needs: "ai.perplexity.api_key",
        is_free: false,
        is_set: |(ai, _)| ai.perplexity.api_key.is_some(),
        build: |(ai, _), ctx| Some(guarded(Agent::new(ai.perplexity.model()?, ctx), ctx)),
    }
}

struct Agent {
    model: Model,
    http: Client,
    clock: Arc<dyn Clock>,
}

impl Agent {
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
            "language_preference": question.language,
            "max_output_tokens": self.model.max_output_tokens,
        });
        if question.web_search {
            let mut place = json!({"country": question.country.to_uppercase()});
            if let Some(city) = city(question) {
                place["city"] = json!(city);
            }
            body["tools"] = json!([{"type": "web_search", "user_location": place}]);
            body["max_tool_calls"] = json!(self.model.max_searches);
            if self.model.force_search {
                body["tool_choice"] = json!({"type": "web_search"});
            }
        }
        body
    }

    fn parse_answer(&self, question: &AiQuery, response: &Response) -> ParsedAnswer {
        let (text, passages) = response.passages();
        let found: Vec<_> = { response.output.iter() }
            .filter(|it| it.kind == "search_results")
            .collect();
        let results = || found.iter().flat_map(|it| it.results.iter().flatten());
        // Result by the number of its `[n]` marker.
        let mut numbered = HashMap::new();
        for (place, it) in (1_u64..).zip(results()) {
            let number = it.id.as_ref().and_then(Value::as_u64).unwrap_or(place);
            numbered.entry(number).or_insert(it);
        }
        let mut sources = Sources::default();
        for (number, span) in markers(&text) {
            if let Some((it, url)) =
                { numbered.get(&number) }.and_then(|it| Some((it, it.url.as_deref()?)))
            {
                let page = CitedPage::new(url, it.title.as_deref());
                sources.add(page, CitationPart::Inline, Some(span));
            }
        }
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
        for it in results() {
            if let Some(url) = it.url.as_deref() {
                let page = CitedPage::new(url, it.title.as_deref());
                sources.add(page, CitationPart::SearchResult, None);
            }
        }
        let usage = response.usage.as_ref();
        let counted = { usage.and_then(|it| it.tool_calls_details.as_ref()) }
            .and_then(|it| it.get("search_web")?.get("invocation")?.as_u64());
        let counted = counted.unwrap_or(found.len() as u64);
        let dollars = usage.and_then(|it| it.cost.as_ref()?.total_cost);
        ParsedAnswer {
            text,
            citations: Some(sources.in_order()),
            searches: Some(u32::try_from(counted).unwrap_or(u32::MAX)),
            queries: { found.iter() }
                .flat_map(|it| it.queries.iter().flatten().cloned())
                .collect(),
            retrieval: Retrieval {
                forced: question.web_search && self.model.force_search,
                used: Some(!found.is_empty() || counted > 0),
            },
            cost: dollars.and_then(micro_usd),
            ..response.base_answer()
        }
    }
}

/// Rounded up; `None` outside the range of plausible costs.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between nothing and a thousand dollars"
)]
fn micro_usd(dollars: f64) -> Option<u64> {
    // Ignores what binary fractions add to whole millionths.
    (0.0..=1_000.0)
        .contains(&dollars)
        .then(|| (dollars * 1_000_000.0 - 1e-6).ceil().max(0.0) as u64)
}

/// Citation markers `[3]`, `[1, 2]`, `[web:3]`: each number with the span of its brackets.
fn markers(text: &str) -> Vec<(u64, TextSpan)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('[').map(|it| from + it) {
        let inside = open + 1;
        let Some(length) = text[inside..].find([']', '[', '\n']) else {
            break;
        };
        let end = inside + length;
        from = end;
        if !text[end..].starts_with(']') {
            continue;
        }
        let span = TextSpan {
            start: open,
            end: end + 1,
        };
        let numbers: Option<Vec<u64>> = { text[inside..end].split(',') }
            .map(|it| {
                let it = it.trim();
                it.strip_prefix("web:").unwrap_or(it).parse().ok()
            })
            .collect();
        found.extend(numbers.into_iter().flatten().map(|it| (it, span)));
    }
    found
}

#[async_trait]
impl AnswerSource for Agent {
    fn label(&self) -> EngineLabel {
        EngineLabel {
            name: "perplexity".to_owned(),
            title: "Perplexity".to_owned(),
            provider: "perplexity".to_owned(),
            model: Some(self.model.name.clone()),
            provenance: Provenance::Measured,
            has_sources: true,
            forces_retrieval: self.model.force_search,
        }
    }

    fn name(&self) -> &'static str {
        "perplexity"
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
            .post(self.model.base_url.join_path("/v1/agent"))
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
        Ok(ParsedResponse::Whole(Box::new(
            self.parse_answer(question, &response),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citation_markers_are_found_with_their_spans() {
        let text = "Schön 🦊[7], gut[1, 2] und [web:3] [nicht] [x[4]] [5\n] [";
        let found: Vec<(u64, &str)> = { markers(text).into_iter() }
            .map(|(number, it)| (number, &text[it.start..it.end]))
            .collect();
        assert_eq!(
            found,
            [
                (7, "[7]"),
                (1, "[1, 2]"),
                (2, "[1, 2]"),
                (3, "[web:3]"),
                (4, "[4]")
            ]
        );
    }

    #[test]
    fn dollars_are_rounded_up_to_millionths() {
        assert_eq!(micro_usd(0.001_19), Some(1_190));
        assert_eq!(micro_usd(0.000_000_1), Some(1));
        assert_eq!(micro_usd(0.0), Some(0));
        assert_eq!((micro_usd(-1.0), micro_usd(f64::NAN)), (None, None));
    }
}
