//! Perplexity's Agent API: `POST {base}/v1/agent` with the tool `web_search`. The Sonar chat completions ended on
//! 2026-09-27.
//!
//! Source: docs.perplexity.ai/api-reference/agent-post, the guide to migrating from Sonar, and
//! github.com/perplexityai/api-platform-developers, copies of 2026-11-22. Unknown fields are rejected, so only
//! documented ones are sent. Not verified against the live service: a location with a country alone.

use super::failures::by_status_and_words;
use super::places::city;
use super::responses::Response;
use super::settings::{Model, Service};
use super::source::{AnswerSource, Reading, Told};
use super::sources::{Named, Sources};
use super::spans::{cited_span, shifted};
use super::{AiSupplier, guarded};
use crate::http_client::{Answer, ask};
use crate::resilience::CallFailure;
use crate::supplier::Surroundings;
use analysis::observation::ai_answer::{CitationPart, TextSpan};
use analysis::provenance::Provenance;
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuestion, EngineLabel, Retrieval};
use domain::ports::clock::Clock;
use reqwest::Client;
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Perplexity;

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

pub(super) const fn supplier<'a>() -> AiSupplier<'a> {
    AiSupplier {
        name: "perplexity",
        section: "ai.perplexity",
        needs: "ai.perplexity.api_key",
        is_free: false,
        is_set: |(ai, _)| ai.perplexity.api_key.is_some(),
        build: |(ai, _), around| Some(guarded(Agent::new(ai.perplexity.model()?, around), around)),
    }
}

struct Agent {
    model: Model,
    http: Client,
    clock: Arc<dyn Clock>,
}

impl Agent {
    fn new(model: Model, around: &Surroundings) -> Self {
        Self {
            model,
            http: around.http(),
            clock: around.clock(),
        }
    }

    fn body(&self, question: &AiQuestion) -> Value {
        let mut body = json!({
            "model": self.model.name,
            "input": question.prompt,
            "language_preference": question.language,
            "max_output_tokens": self.model.most_output_tokens,
        });
        if question.web_search {
            let mut place = json!({"country": question.country.to_uppercase()});
            if let Some(city) = city(question) {
                place["city"] = json!(city);
            }
            body["tools"] = json!([{"type": "web_search", "user_location": place}]);
            body["max_tool_calls"] = json!(self.model.most_searches);
            if self.model.force_search {
                body["tool_choice"] = json!({"type": "web_search"});
            }
        }
        body
    }

    fn told(&self, question: &AiQuestion, response: &Response) -> Told {
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
                let page = Named::at(url, it.title.as_deref());
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
                let page = Named::at(url, it.title.as_deref());
                sources.add(page, CitationPart::Inline, span);
            }
        }
        for it in results() {
            if let Some(url) = it.url.as_deref() {
                let page = Named::at(url, it.title.as_deref());
                sources.add(page, CitationPart::SearchResult, None);
            }
        }
        let usage = response.usage.as_ref();
        let counted = { usage.and_then(|it| it.tool_calls_details.as_ref()) }
            .and_then(|it| it.get("search_web")?.get("invocation")?.as_u64());
        let counted = counted.unwrap_or(found.len() as u64);
        let dollars = usage.and_then(|it| it.cost.as_ref()?.total_cost);
        Told {
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
            ..response.basics()
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

    fn price(&self) -> Option<u64> {
        self.model.most()
    }

    fn without_secrets(&self, text: &str) -> String {
        self.model.without_key(text)
    }

    async fn send(&self, question: &AiQuestion) -> Result<Answer, CallFailure> {
        let request = self
            .http
            .post(self.model.base_url.operation("/v1/agent"))
            .bearer_auth(self.model.key.reveal())
            .json(&self.body(question));
        ask(request).await
    }

    fn read(&self, question: &AiQuestion, answer: &Answer) -> Result<Reading, CallFailure> {
        let clean = |text: &str| self.model.without_key(text);
        if !answer.status.is_success() {
            return Err(by_status_and_words(answer, clean, self.clock.now()));
        }
        let response = Response::parse(&answer.body, clean)?;
        Ok(Reading::Whole(Box::new(self.told(question, &response))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_where_they_stand() {
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
