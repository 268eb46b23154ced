//! Google's answers through DataForSEO: `POST {base}/v3/serp/google/organic/live/advanced`, which waits for the
//! overview, and `…/ai_mode/live/advanced`, which answers with an element of the same type.
//!
//! Source: `docs.dataforseo.com/v3/serp/google/ai_mode/live/advanced` (2026-06-06) and the page on organic results,
//! copies of 2026-11-22.

use super::{GoogleAnswer, blocks::forced_retrieval};
use crate::ai::source::{AnswerSource, Outcome, ParsedAnswer, ParsedResponse};
use crate::ai::sources::{CitedPage, Sources};
use crate::http_client::RawResponse;
use crate::resilience::{CallFailure, Repeat};
use crate::search::data_for_seo::locations::{country_code, location_name};
use crate::search::data_for_seo::wire::Item;
use crate::search::data_for_seo::{DataForSeo, ORGANIC, escape_keyword, unsupported_country};
use analysis::observation::ai_answer::{CitationPart, TextSpan};
use analysis::url_rules::unwrapped;
use async_trait::async_trait;
use domain::ports::ai_answers::{AiQuery, EngineLabel};
use domain::ports::search_results::ProviderError;
use serde_json::{Value, json};

const MODE: &str = "/v3/serp/google/ai_mode/live/advanced";
/// Characters; longer keywords are rejected.
const MAX_KEYWORD_LENGTH: usize = 700;
const MAX_DEPTH: usize = 4;

pub(super) struct DataForSeoAnswers {
    client: DataForSeo,
    answer: GoogleAnswer,
    /// Maximum price of an AI Mode answer, in millionths of a US dollar.
    mode_price: u64,
}

impl DataForSeoAnswers {
    pub(super) fn new(client: DataForSeo, answer: GoogleAnswer, mode_price: u64) -> Self {
        Self {
            client,
            answer,
            mode_price,
        }
    }

    fn task(&self, question: &AiQuery) -> Result<Value, CallFailure> {
        let mut task = json!({
            "keyword": escape_keyword(&question.prompt),
            "language_code": question.language,
            "device": "desktop",
            "os": "windows",
        });
        if self.answer == GoogleAnswer::Overview {
            task["depth"] = json!(10);
            task["max_crawl_pages"] = json!(1);
            task["load_async_ai_overview"] = json!(true);
        }
        match (&question.location, country_code(&question.country)) {
            (Some(place), _) => task["location_name"] = json!(location_name(place)),
            (None, Some(code)) => task["location_code"] = json!(code),
            (None, None) => return Err(CallFailure::pointless(unsupported_country())),
        }
        Ok(json!([task]))
    }
}

fn parse_overview(item: &Item, cost: Option<u64>) -> Result<ParsedAnswer, CallFailure> {
    let elements = item.list("items");
    let text = item.owned("markdown").unwrap_or_else(|| joined(elements));
    if text.trim().is_empty() {
        return Err(CallFailure {
            repeat: cost.map_or(Repeat::Uncertain, Repeat::Billed),
            ..CallFailure::malformed("it holds an overview without words")
        });
    }
    let mut sources = Sources::default();
    // Sources of passages come first, in order; then the remaining listed ones.
    passages(elements, &text, &mut sources, MAX_DEPTH);
    add_references(item.list("references"), None, &mut sources);
    Ok(ParsedAnswer {
        citations: Some(sources.in_order()),
        text,
        retrieval: forced_retrieval(),
        cost,
        ..ParsedAnswer::default()
    })
}

fn joined(elements: &[Value]) -> String {
    let texts = elements.iter().flat_map(|it| {
        let text = |name: &str| it.get(name).and_then(Value::as_str);
        [text("title"), text("text")]
    });
    let lines: Vec<&str> = texts.flatten().filter(|it| !it.is_empty()).collect();
    lines.join("\n\n")
}

fn passages(elements: &[Value], text: &str, sources: &mut Sources, deeper: usize) {
    for element in elements {
        let words = ["markdown", "text"].into_iter();
        let place = words
            .filter_map(|name| element.get(name)?.as_str())
            .find_map(|words| find_span(words.trim(), text));
        add_references(list(element, "references"), place, sources);
        if deeper > 0 {
            passages(list(element, "items"), text, sources, deeper - 1);
            passages(list(element, "components"), text, sources, deeper - 1);
        }
    }
}

fn find_span(words: &str, text: &str) -> Option<TextSpan> {
    let start = text.find(words).filter(|_| !words.is_empty())?;
    Some(TextSpan {
        start,
        end: start + words.len(),
    })
}

fn add_references(references: &[Value], place: Option<TextSpan>, sources: &mut Sources) {
    for reference in references {
        let text = |name: &str| reference.get(name).and_then(Value::as_str);
        let Some(url) = text("url") else {
            continue;
        };
        let url = unwrapped(url);
        let page = CitedPage::new(&url, text("title").or_else(|| text("source")));
        let part = match place {
            Some(_) => CitationPart::Inline,
            None => CitationPart::SourceList,
        };
        sources.add(page, part, place);
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let list = value.get(name).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

#[async_trait]
impl AnswerSource for DataForSeoAnswers {
    fn label(&self) -> EngineLabel {
        self.answer.label()
    }

    fn name(&self) -> &'static str {
        "dataForSeo"
    }

    fn max_price(&self) -> Option<u64> {
        let price = match self.answer {
            GoogleAnswer::Overview => self.client.price_with_overview(),
            GoogleAnswer::Mode => self.mode_price,
        };
        Some(price).filter(|it| *it > 0)
    }

    fn always_searches(&self) -> bool {
        true
    }

    fn objection(&self, question: &AiQuery) -> Option<ProviderError> {
        if question.location.is_none() && country_code(&question.country).is_none() {
            return Some(unsupported_country());
        }
        let is_long = question.prompt.chars().count() > MAX_KEYWORD_LENGTH;
        is_long.then(|| ProviderError::Refused {
            reason: "this service takes questions of up to 700 characters".to_owned(),
        })
    }

    fn without_secrets(&self, text: &str) -> String {
        self.client.without_credentials(text)
    }

    async fn send(&self, question: &AiQuery) -> Result<RawResponse, CallFailure> {
        let path = match self.answer {
            GoogleAnswer::Overview => ORGANIC,
            GoogleAnswer::Mode => MODE,
        };
        self.client.post(path, &self.task(question)?).await
    }

    fn read(&self, _: &AiQuery, answer: &RawResponse) -> Result<ParsedResponse, CallFailure> {
        let elements = self.client.parse_elements(answer)?;
        let item = elements.items.iter().find(|it| it.kind() == "ai_overview");
        let parsed = match (item, self.answer) {
            (Some(item), _) => parse_overview(item, elements.cost)?,
            (None, GoogleAnswer::Overview) => ParsedAnswer {
                state: Outcome::NotShown,
                citations: Some(Vec::new()),
                retrieval: forced_retrieval(),
                cost: elements.cost,
                ..ParsedAnswer::default()
            },
            (None, GoogleAnswer::Mode) => ParsedAnswer {
                citations: Some(Vec::new()),
                retrieval: forced_retrieval(),
                cost: elements.cost,
                ..ParsedAnswer::default()
            },
        };
        Ok(ParsedResponse::Whole(Box::new(parsed)))
    }
}
