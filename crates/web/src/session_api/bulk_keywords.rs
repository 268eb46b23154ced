//! POST /api/projects/:id/keywords/bulk: saves researched keywords, with an outcome for each.

use crate::agent_api::keywords::{AllowanceView, MARKET, MarketMembers};
use crate::caller::Caller;
use crate::contract::fields::read_body;
use crate::contract::{List, UniqueList, body, nested_body, string_enums};
use crate::endpoint::Call;
use crate::http::byte_budget::ByteBudget;
use crate::problem::{Code, FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::allowance::{AllowanceExceeded, AllowanceName};
use domain::ids::{KeywordId, SearchId};
use domain::keyword::{Keyword, KeywordRefusal, KeywordText, NewKeywords};
use domain::market::Market;
use domain::text::Tag;
use domain::use_cases::keywords::save::{
    SaveMode, SaveOutcome, SavedKeywords, WantedKeyword, WantedKeywords,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;

body! {
    SaveKeywords {
        texts: List<SaveKeyword, 1, { NewKeywords::MAX_PER_CALL }> = required "keywords" or "must hold at least one keyword";
        mode: SaveMode = required "mode";
        market: MarketMembers = optional "market", MARKET;
        tags: UniqueList<Tag, { Keyword::MAX_TAGS }> = optional "tags";
        search: SearchId = optional "searchId";
    }
}
string_enums!(SaveMode);

body! {
    SaveKeyword {
        text: String = required "text";
        ai_tracked: bool = optional "aiTracked";
    }
}
nested_body!(SaveKeyword => TypedKeyword: typed);

fn typed(it: &SaveKeyword) -> Option<TypedKeyword> {
    let (text, ai_tracked) = (it.text(), it.ai_tracked());
    Some(TypedKeyword {
        text: text?,
        ai_tracked,
    })
}

struct SaveRequest {
    texts: Vec<TypedKeyword>,
    market: Market,
    tags: Vec<Tag>,
    search: Option<SearchId>,
    mode: SaveMode,
}

struct TypedKeyword {
    text: String,
    ai_tracked: Option<bool>,
}

type ParsedKeywords = Vec<Result<WantedKeyword, KeywordRefusal>>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemView<'a> {
    text: &'a str,
    outcome: &'static str,
    keyword_id: Option<i64>,
    code: Option<&'static str>,
    detail: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SavedView {
    items: Vec<Box<RawValue>>,
    added: usize,
    already_tracked: usize,
    reactivated: usize,
    refused: usize,
    /// More items than the response can hold; the counts include all.
    truncated: bool,
    allowance: AllowancesView,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AllowancesView {
    keywords: AllowanceView,
    keywords_per_project: AllowanceView,
    ai_tracked: AllowanceView,
}

/// All keywords, or those that can be saved.
pub async fn save(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?.id;
    call.query.finish()?;
    let request = read_body(&call.body, read)?;
    let parsed: ParsedKeywords = { request.texts.iter() }
        .map(|typed| {
            Ok(WantedKeyword {
                text: KeywordText::parse(&typed.text)?,
                ai_tracked: typed.ai_tracked,
            })
        })
        .collect();
    if request.mode == SaveMode::All {
        require_all_valid(&parsed)?;
    }
    let person = match &call.caller {
        Caller::Member(member) => Some(member.user.id),
        Caller::Agent(_) | Caller::Tool(_) => None,
    };
    let wanted = WantedKeywords {
        keywords: parsed.iter().flatten().cloned().collect(),
        market: request.market.clone(),
        tags: request.tags.clone(),
        found_in: person.zip(request.search),
    };
    let response = |saved: &SavedKeywords| response(&request, &parsed, saved);
    let stored = |saved: &SavedKeywords| response(saved).to_stored();
    let saved = services
        .core
        .save_keywords(
            call.account(),
            project,
            &wanted,
            request.mode,
            call.idempotency_writer(&stored),
        )
        .await
        .map_err(refusals::project_problem(project))?;
    Ok(response(&saved).marked_stored())
}

fn read(body: &SaveKeywords) -> Option<SaveRequest> {
    let (texts, mode, market) = (body.texts(), body.mode(), body.market());
    let (tags, search) = (body.tags(), body.search());
    let base = Market::default();
    Some(SaveRequest {
        texts: texts?,
        market: market.map_or_else(|| base.clone(), |it| it.of(&base)),
        tags: tags.unwrap_or_default(),
        search,
        mode: mode?,
    })
}

/// With mode `all`, one invalid keyword refuses the request.
fn require_all_valid(parsed: &ParsedKeywords) -> Result<(), Problem> {
    let errors: Vec<FieldError> = { parsed.iter().enumerate() }
        .filter_map(|(index, it)| {
            let refusal = it.as_ref().err()?;
            let pointer = format!("/keywords/{index}/text");
            Some(FieldError::in_body(
                pointer,
                refusal_code(*refusal),
                refusal.to_string(),
            ))
        })
        .collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(Problem::invalid(errors))
}

const fn refusal_code(refusal: KeywordRefusal) -> &'static str {
    match refusal {
        KeywordRefusal::Empty => "empty",
        KeywordRefusal::TooLong => "too-long",
        KeywordRefusal::TooManyWords => "too-many-words",
        KeywordRefusal::ControlCharacter => "control-character",
    }
}

fn response(request: &SaveRequest, parsed: &ParsedKeywords, saved: &SavedKeywords) -> ApiResponse {
    let mut outcomes = saved.outcomes.iter();
    let mut view = SavedView {
        items: vec![],
        added: 0,
        already_tracked: 0,
        reactivated: 0,
        refused: 0,
        truncated: false,
        allowance: AllowancesView {
            keywords: AllowanceView::of(saved.keyword_allowance),
            keywords_per_project: AllowanceView::of(saved.project_allowance),
            ai_tracked: AllowanceView::of(saved.ai_allowance),
        },
    };
    let mut items = Vec::with_capacity(parsed.len());
    for (typed, parsed) in request.texts.iter().zip(parsed) {
        let done = |outcome, id: KeywordId| ItemView {
            text: &typed.text,
            outcome,
            keyword_id: Some(id.0),
            code: None,
            detail: None,
        };
        let refused = |code, detail| ItemView {
            text: &typed.text,
            outcome: "refused",
            keyword_id: None,
            code: Some(code),
            detail: Some(detail),
        };
        let item = match parsed {
            Err(refusal) => refused(refusal_code(*refusal), refusal.to_string()),
            Ok(_) => match outcomes.next() {
                Some(SaveOutcome::Added(id)) => done("added", *id),
                Some(SaveOutcome::AlreadyTracked(id)) => done("alreadyTracked", *id),
                Some(SaveOutcome::Reactivated(id)) => done("reactivated", *id),
                Some(SaveOutcome::Refused(exceeded)) => {
                    refused(Code::AllowanceExceeded.name(), allowance_detail(exceeded))
                }
                // There is one outcome per keyword.
                None => continue,
            },
        };
        match item.outcome {
            "added" => view.added += 1,
            "alreadyTracked" => view.already_tracked += 1,
            "reactivated" => view.reactivated += 1,
            _ => view.refused += 1,
        }
        items.push(item);
    }
    view.items = ByteBudget::for_response()
        .fill(items.iter().map(to_raw_value))
        .expect("items have string keys and no failing serialisers");
    view.truncated = view.items.len() < items.len();
    ApiResponse::ok(&view)
}

fn allowance_detail(exceeded: &AllowanceExceeded) -> String {
    let (name, limit) = (exceeded.allowance.name, exceeded.allowance.limit);
    match name {
        AllowanceName::AiTracked => format!(
            "{limit} AI-tracked keywords are the most: save it without AI measurement, or switch that off for another one."
        ),
        AllowanceName::KeywordsPerProject => {
            format!("{limit} keywords in one project are the most: deactivate one.")
        }
        AllowanceName::StoredKeywords => format!(
            "{limit} keywords are the most, deactivated ones included: bring one of those back instead."
        ),
        _ => format!("{limit} keywords are the most: deactivate one."),
    }
}
