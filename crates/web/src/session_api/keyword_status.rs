//! GET /api/projects/:id/keyword-status: one month of the project's keywords, from stored data.

use crate::agent_api::keywords::SORTS;
use crate::agent_api::{paging, render_rows};
use crate::contract::{arguments, query};
use crate::endpoint::Call;
use crate::paging::{PageLimits, bound_query, finish_query, page_parameters, sort_parameter};
use crate::problem::{FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use analysis::{findings::envelope::rounded, statistics::panel_rate::IntervalMethod};
use chrono::{DateTime, NaiveDate, Utc};
use domain::keyword_month::{AiMentions, CalendarMonth, KeywordMonth, MentionRate};
use domain::page::Direction;
use domain::ports::keywords::KeywordFilter;
use domain::project::Status;
use serde::Serialize;
use serde_json::{json, value::RawValue};
use std::sync::Arc;

pub const LIST_LIMITS: PageLimits = PageLimits {
    default: 100,
    max: 500,
};

query! {
    pub(crate) ReadKeywordStatus {
        ..page_parameters(LIST_LIMITS);
        month: Month = optional "month", "The month in UTC, for example 2026-11; this one when left out.";
        ..sort_parameter(&SORTS, "The order; a leading - reverses. createdAt when left out.");
    }
}

struct Month;

arguments! {
    Month => CalendarMonth: |query, name| {
        let found = CalendarMonth::parse(query.text(name)?);
        if found.is_none() {
            query.note_invalid(name, "must be a month such as 2026-11");
        }
        found
    }, json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$" });
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusBody<'a> {
    project_id: i64,
    month: String,
    from: NaiveDate,
    to: NaiveDate,
    items: Vec<Box<RawValue>>,
    next_cursor: Option<&'a str>,
    limit: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusView {
    keyword_id: i64,
    keyword: String,
    country: String,
    language: String,
    device: &'static str,
    location: Option<String>,
    target_url: Option<String>,
    ai_tracked: bool,
    /// In the current month the newest measurement, otherwise the month's last.
    position: Option<u32>,
    measured_at: Option<DateTime<Utc>>,
    /// The best-ranked own page.
    page: Option<String>,
    position_at_start: Option<u32>,
    start_measured_at: Option<DateTime<Utc>>,
    best_position: Option<u32>,
    days_measured: u32,
    engine: Option<String>,
    provenance: Option<&'static str>,
    search_volume: Option<u32>,
    #[serde(flatten)]
    ai: AiView,
    ai_provenance: Option<&'static str>,
    ai_engines: Vec<EngineView>,
}

/// How often AI answers mention the project; null without answers.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_field_names,
    reason = "they are members of a larger answer"
)]
struct AiView {
    #[serde(serialize_with = "rounded::fraction_or_null")]
    ai_mention_rate: Option<f64>,
    #[serde(serialize_with = "rounded::fraction_or_null")]
    ai_mention_rate_low: Option<f64>,
    #[serde(serialize_with = "rounded::fraction_or_null")]
    ai_mention_rate_high: Option<f64>,
    ai_interval_method: Option<IntervalMethod>,
    ai_answer_count: u64,
    ai_mention_count: u64,
    ai_prompt_count: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EngineView {
    engine: String,
    #[serde(serialize_with = "rounded::fraction_or_null")]
    mention_rate: Option<f64>,
    #[serde(serialize_with = "rounded::fraction_or_null")]
    mention_rate_low: Option<f64>,
    #[serde(serialize_with = "rounded::fraction_or_null")]
    mention_rate_high: Option<f64>,
    interval_method: Option<IntervalMethod>,
    answer_count: u64,
    mention_count: u64,
    prompt_count: u64,
}

impl StatusView {
    fn of(month: &KeywordMonth) -> Self {
        let (keyword, ranks) = (&month.keyword, month.ranks.as_ref());
        let market = &keyword.market;
        let (now, start) = (month.now.as_ref(), ranks.map(|it| &it.start));
        let mentions = month.mentions.as_ref();
        Self {
            keyword_id: keyword.id.0,
            keyword: keyword.text.to_string(),
            country: market.country.to_string(),
            language: market.language.to_string(),
            device: market.device.name(),
            location: market.location.as_ref().map(ToString::to_string),
            target_url: keyword.target_url.clone(),
            ai_tracked: keyword.ai_tracked,
            position: now.and_then(|it| it.position),
            measured_at: now.map(|it| it.measured_at),
            page: now.and_then(|it| it.url.clone()),
            position_at_start: start.and_then(|it| it.position),
            start_measured_at: start.map(|it| it.measured_at),
            best_position: ranks.and_then(|it| it.best),
            days_measured: ranks.map_or(0, |it| it.days),
            engine: ranks.map(|it| it.source.engine.clone()),
            provenance: ranks.map(|it| it.source.provenance.name()),
            search_volume: month.search_volume,
            ai: mentions.map(|it| AiView::of(&it.all)).unwrap_or_default(),
            ai_provenance: mentions.map(|it| it.provenance.name()),
            ai_engines: mentions.map(engines).unwrap_or_default(),
        }
    }
}

impl AiView {
    fn of(all: &MentionRate) -> Self {
        Self {
            ai_mention_rate: all.rate.map(|it| it.rate),
            ai_mention_rate_low: all.rate.map(|it| it.interval.low),
            ai_mention_rate_high: all.rate.map(|it| it.interval.high),
            ai_interval_method: all.rate.map(|it| it.method),
            ai_answer_count: all.answers,
            ai_mention_count: all.mentions,
            ai_prompt_count: all.prompts,
        }
    }
}

fn engines(mentions: &AiMentions) -> Vec<EngineView> {
    let engines = mentions.engines.iter();
    engines
        .map(|(engine, it)| EngineView {
            engine: engine.clone(),
            mention_rate: it.rate.map(|it| it.rate),
            mention_rate_low: it.rate.map(|it| it.interval.low),
            mention_rate_high: it.rate.map(|it| it.interval.high),
            interval_method: it.rate.map(|it| it.method),
            answer_count: it.answers,
            mention_count: it.mentions,
            prompt_count: it.prompts,
        })
        .collect()
}

/// Active keywords with their data of a month, by default the current one. No supplier calls.
pub async fn read(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?.id;
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let bound_to = bound_query(&call.path, &call.query_text);
    let paging = paging(&call, &bound_to, LIST_LIMITS, &SORTS, Direction::Ascending);
    let month = month(&call, now.date_naive());
    let request = finish_query(paging.request(key, now).zip(month), &call.query)?;
    let (request, month) = request;
    let filter = KeywordFilter {
        status: Some(Status::Active),
        ..KeywordFilter::default()
    };
    let mut page = services
        .core
        .keyword_months(call.account(), project, month, &filter, &request)
        .await?
        .ok_or_else(refusals::no_project)?;
    let items = render_rows(call.verbosity, &mut page, None, StatusView::of);
    let next = paging.next_cursor(&page, key, now);
    let body = StatusBody {
        project_id: project.0,
        month: month.to_string(),
        from: month.first(),
        to: month.last(),
        items,
        next_cursor: next.as_deref(),
        limit: request.limit,
    };
    let answer = crate::agent_api::with_list_etag(ApiResponse::ok(&body), next.as_deref(), now);
    Ok(crate::agent_api::with_next_link(
        answer,
        &call,
        next.as_deref(),
    ))
}

/// At most the month of `today`, which is the default.
fn month(call: &Call, today: NaiveDate) -> Option<CalendarMonth> {
    let this = CalendarMonth::of(today)?;
    let requested = ReadKeywordStatus(&call.query).month();
    if requested.is_some_and(|month| month > this) {
        let rule = format!("lies ahead: the last one is {this}");
        let error = FieldError::in_query("month", "invalid-value", rule);
        call.query.note(error.with("max", json!(this.to_string())));
    }
    Some(requested.unwrap_or(this))
}
