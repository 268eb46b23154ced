//! POST /api/projects/:id/keywords/bulk: saves researched keywords, with an outcome for each.

use crate::agent_api::keywords::{AllowanceView, MARKET, MarketMembers};
use crate::answer::Answer;
use crate::caller::Caller;
use crate::contract::fields::read_body;
use crate::contract::{EachOnce, List, body, member, words};
use crate::endpoint::Call;
use crate::http::weight::Room;
use crate::problem::{Code, FieldError, Problem};
use crate::refusals;
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
        texts: List<SaveKeyword, 1, { NewKeywords::MOST }> = required "keywords" or "must hold at least one keyword";
        mode: SaveMode = required "mode";
        market: MarketMembers = optional "market", MARKET;
        tags: EachOnce<Tag, { Keyword::MOST_TAGS }> = optional "tags";
        search: SearchId = optional "searchId";
    }
}
words!(SaveMode);

body! {
    SaveKeyword {
        text: String = required "text";
        ai_tracked: bool = optional "aiTracked";
    }
}
member!(SaveKeyword => TypedKeyword: typed);

fn typed(it: &SaveKeyword) -> Option<TypedKeyword> {
    let (text, ai_tracked) = (it.text(), it.ai_tracked());
    Some(TypedKeyword {
        text: text?,
        ai_tracked,
    })
}

struct Wish {
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

type Judged = Vec<Result<WantedKeyword, KeywordRefusal>>;

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
pub async fn save(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let project = call.project(&services).await?.id;
    call.query.finish()?;
    let wish = read_body(&call.body, read)?;
    let judged: Judged = { wish.texts.iter() }
        .map(|typed| {
            Ok(WantedKeyword {
                text: KeywordText::parse(&typed.text)?,
                ai_tracked: typed.ai_tracked,
            })
        })
        .collect();
    if wish.mode == SaveMode::All {
        nothing_is_wrong(&judged)?;
    }
    let person = match &call.caller {
        Caller::Member(member) => Some(member.user.id),
        Caller::Agent(_) | Caller::Tool(_) => None,
    };
    let wanted = WantedKeywords {
        keywords: judged.iter().flatten().cloned().collect(),
        market: wish.market.clone(),
        tags: wish.tags.clone(),
        found_in: person.zip(wish.search),
    };
    let answer = |saved: &SavedKeywords| answer(&wish, &judged, saved);
    let stored = |saved: &SavedKeywords| answer(saved).stored();
    let saved = services
        .core
        .save_keywords(
            call.account(),
            project,
            &wanted,
            wish.mode,
            call.receipt(&stored),
        )
        .await
        .map_err(refusals::of_project(project))?;
    Ok(answer(&saved).kept())
}

fn read(body: &SaveKeywords) -> Option<Wish> {
    let (texts, mode, market) = (body.texts(), body.mode(), body.market());
    let (tags, search) = (body.tags(), body.search());
    let base = Market::default();
    Some(Wish {
        texts: texts?,
        market: market.map_or_else(|| base.clone(), |it| it.of(&base)),
        tags: tags.unwrap_or_default(),
        search,
        mode: mode?,
    })
}

/// With mode `all`, one invalid keyword refuses the request.
fn nothing_is_wrong(judged: &Judged) -> Result<(), Problem> {
    let errors: Vec<FieldError> = { judged.iter().enumerate() }
        .filter_map(|(place, it)| {
            let refusal = it.as_ref().err()?;
            let pointer = format!("/keywords/{place}/text");
            Some(FieldError::at(
                pointer,
                code_of(*refusal),
                refusal.to_string(),
            ))
        })
        .collect();
    if errors.is_empty() {
        return Ok(());
    }
    Err(Problem::invalid(errors))
}

const fn code_of(refusal: KeywordRefusal) -> &'static str {
    match refusal {
        KeywordRefusal::Empty => "empty",
        KeywordRefusal::TooLong => "too-long",
        KeywordRefusal::TooManyWords => "too-many-words",
        KeywordRefusal::ControlCharacter => "control-character",
    }
}

fn answer(wish: &Wish, judged: &Judged, saved: &SavedKeywords) -> Answer {
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
    let mut items = Vec::with_capacity(judged.len());
    for (typed, judged) in wish.texts.iter().zip(judged) {
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
        let item = match judged {
            Err(refusal) => refused(code_of(*refusal), refusal.to_string()),
            Ok(_) => match outcomes.next() {
                Some(SaveOutcome::Added(id)) => done("added", *id),
                Some(SaveOutcome::AlreadyTracked(id)) => done("alreadyTracked", *id),
                Some(SaveOutcome::Reactivated(id)) => done("reactivated", *id),
                Some(SaveOutcome::Refused(why)) => {
                    refused(Code::AllowanceExceeded.name(), no_room(why))
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
    view.items = Room::of_an_answer()
        .fill(items.iter().map(to_raw_value))
        .expect("items have string keys and no failing serialisers");
    view.truncated = view.items.len() < items.len();
    Answer::ok(&view)
}

fn no_room(why: &AllowanceExceeded) -> String {
    let (name, limit) = (why.allowance.name, why.allowance.limit);
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
