//! GET /results.

use super::{paging, projects::ProjectView};
use crate::agent_api::{TotalView, response_for_surface, with_next_link};
use crate::contract::parameters::Query;
use crate::contract::{End, FreeText, StringEnum, Time, query};
use crate::endpoint::Call;
use crate::http::byte_budget::Verbosity;
use crate::links::{Link, NextAction, Operation, Surface};
use crate::paging::{
    PageLimits, bound_query, fields_parameter, finish_query, page_parameters, sort_parameter,
    total_parameter,
};
use crate::problem::{FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::selection::{RECORD_FIELDS, Selection, record_fields};
use crate::services::Services;
use analysis::{document::Document, result_type::ResultType};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{JobId, KeywordId, ProjectId};
use domain::job::kind::AnalysisKind;
use domain::page::{Direction, Page};
use domain::project::Project;
use domain::results::{Finding, FindingSort, ResultHead};
use domain::use_cases::results::{AllResults, ProjectResults, ResultsRequest};
use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};
use std::{convert::Infallible, sync::Arc};

pub const LIST_LIMITS: PageLimits = PageLimits {
    default: 100,
    max: 1_000,
};
/// Records of each type in `type=all`.
const TOP: u32 = 5;
const TOP_LIMITS: PageLimits = PageLimits {
    default: TOP,
    max: TOP,
};
/// Approximate size of a project as JSON, in bytes.
const PROJECT_BYTES: usize = 1_024;
/// Older results are stale.
pub const STALE_AFTER: TimeDelta = TimeDelta::days(35);

query! {
    pub(crate) ReadResults {
        kind: RequestedType = required "type", "The result type, or all.";
        project: ProjectId = required "projectId", "The project.";
        ..page_parameters(LIST_LIMITS);
        ..total_parameter();
        ..fields_parameter(&RECORD_FIELDS);
        ..sort_parameter(&SORTS, "The order; a leading - reverses. Left out it is default, and with history=true the newest first.");
        keyword: KeywordId = optional "keywordId", "Only about this keyword.";
        url: FreeText<2_048> = optional "url", "Only about this page.";
        from: Time = optional "from", "Measured at or after this day or time.";
        to: End = optional "to", "Measured before this day or time.";
        history: bool = optional "history", "The records of all runs, not only of the newest.";
    }
}

/// Sort orders of one run and of a history; they differ in the default, which is first.
const SORTS: [(&str, FindingSort); 3] = [
    ("default", FindingSort::Ordinal),
    ("position", FindingSort::Value),
    ("measuredAt", FindingSort::MeasuredAt),
];
const HISTORY_SORTS: [(&str, FindingSort); 3] = [SORTS[2], SORTS[0], SORTS[1]];

/// Members of the response before `items`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BeforeItems<'a> {
    #[serde(rename = "type")]
    result_type: &'a str,
    project_id: i64,
    project: &'a ProjectView,
    state: &'a str,
    reason: Option<&'a str>,
    next_actions: Vec<Value>,
    generated_at: Option<DateTime<Utc>>,
    job_id: Option<i64>,
    measured_at: Option<DateTime<Utc>>,
    method_version: Option<&'a str>,
    provider: Option<&'a str>,
    provenance: Option<Value>,
    coverage: Option<Value>,
    summary: Option<&'a RawValue>,
}

/// Members of the response after `items`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AfterItems<'a> {
    next_cursor: Option<&'a str>,
    limit: u32,
    #[serde(flatten)]
    total: Option<TotalView>,
    warnings: &'a [String],
}

pub async fn read(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let parameters = ReadResults(&call.query);
    let project = parameters.project();
    let kind = parameters.kind();
    let Some(project) = project else {
        return finish_query(None, &call.query);
    };
    match kind {
        Some(RequestedType::One(result_type)) => {
            call.caller.check_may_read(result_type)?;
            read_one_type(&services, &call, project, result_type).await
        }
        Some(RequestedType::All) => read_all_types(&services, &call, project).await,
        None => {
            services.project(call.account(), project).await?;
            finish_query(None, &call.query)
        }
    }
}

enum RequestedType {
    One(ResultType),
    All,
}

impl StringEnum for RequestedType {
    fn words() -> Vec<&'static str> {
        [&["all"], ResultType::NAMES.as_slice()].concat()
    }

    fn from_word(word: &str) -> Option<Self> {
        match word {
            "all" => Some(Self::All),
            word => ResultType::named(word).map(Self::One),
        }
    }
}

struct ResultFilter {
    keyword: Option<KeywordId>,
    url: Option<String>,
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
}

impl ResultFilter {
    fn of(query: &Query) -> Self {
        let parameters = ReadResults(query);
        let (from, to) = (parameters.from(), parameters.to());
        // `to` is exclusive; a date includes the whole day.
        if from.zip(to).is_some_and(|(from, to)| from >= to) {
            query.note_invalid("to", "must end after `from`");
        }
        Self {
            keyword: parameters.keyword(),
            url: parameters.url().map(with_root_path),
            from,
            to,
        }
    }
}

/// Stored URLs of a bare host end with a slash, as sent over HTTP.
fn with_root_path(url: String) -> String {
    let behind = url.split_once("://").map(|(_, behind)| behind);
    let is_bare = behind.is_some_and(|it| !it.is_empty() && !it.contains(['/', '?', '#']));
    if is_bare { url + "/" } else { url }
}

async fn read_one_type(
    services: &Services,
    call: &Call,
    project: ProjectId,
    result_type: ResultType,
) -> Result<ApiResponse, Problem> {
    let query = &call.query;
    let history = ReadResults(query).history().unwrap_or(false);
    let bound_to = bound_query(&call.path, &call.query_text);
    let (sorts, direction): (&[_], _) = if history {
        (&HISTORY_SORTS, Direction::Descending)
    } else {
        (&SORTS, Direction::Ascending)
    };
    let paging = paging(call, &bound_to, LIST_LIMITS, sorts, direction);
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let only = ResultFilter::of(query);
    let fields = Selection::read(query, record_fields(result_type));
    let Some(page) = paging.request(key, now).filter(|_| query.finish().is_ok()) else {
        services.project(call.account(), project).await?;
        return finish_query(None, query);
    };
    let limit = page.limit;
    let request = ResultsRequest {
        project,
        result_type,
        keyword: only.keyword,
        url: only.url,
        ordinal: None,
        from: only.from,
        to: only.to,
        history,
        page,
    };
    let mut results = services
        .core
        .results(call.account(), &request)
        .await?
        .ok_or_else(refusals::no_project)?;
    if let Some(keyword) = only.keyword.filter(|_| results.findings.items.is_empty()) {
        require_project_keyword(services, call, project, keyword).await?;
    }
    let goes_on = call.verbosity != Verbosity::Full && query.text("cursor").is_some();
    let view = ProjectView::of(
        &results.project,
        &call.tenant().report_defaults,
        services.purge_term(),
    );
    let beside = match &results.head {
        Some(head) if !goes_on => head.summary.as_str().len(),
        _ => 0,
    };
    let verbosity = call.verbosity.with_reserved(beside + PROJECT_BYTES);
    let known = shared_members(verbosity, &results);
    let items = records(verbosity, &mut results.findings, fields.as_ref(), &known);
    let next = paging.next_cursor(&results.findings, key, now);
    let after = AfterItems {
        next_cursor: next.as_deref(),
        limit,
        total: results.findings.total.map(TotalView::of),
        warnings: { results.head.as_ref() }.map_or(&[], |head| &head.warnings),
    };
    let written = |surface| {
        let mut before = before_items(&results, result_type, &view, surface, now);
        if goes_on {
            // Follow-up pages omit what the first page had.
            (before.summary, before.coverage) = (None, None);
        }
        splice_items(&before, &items, &after)
    };
    let answer = response_for_surface(call.caller.surface(), written, next.as_deref(), now);
    Ok(with_next_link(answer, call, next.as_deref()))
}

/// Fails unless the keyword belongs to the project.
async fn require_project_keyword(
    services: &Services,
    call: &Call,
    project: ProjectId,
    keyword: KeywordId,
) -> Result<(), Problem> {
    let found = services.core.keyword(call.account(), keyword).await?;
    match found {
        Some(found) if found.project == project => Ok(()),
        _ => Err(refusals::no_keyword()),
    }
}

/// Stored records, as many as the byte budget allows; the rest is left to the next page.
fn records(
    verbosity: Verbosity,
    findings: &mut Page<Finding>,
    fields: Option<&Selection>,
    known: &Map<String, Value>,
) -> Vec<String> {
    let rows = std::mem::take(&mut findings.items).into_iter();
    let rows = rows.map(|it| Ok::<_, Infallible>(record(it.record, fields, known)));
    let Ok(rows) = verbosity.byte_budget().fill(rows);
    findings.truncate(rows.len());
    rows
}

/// Envelope members that compact records do not repeat.
fn shared_members(verbosity: Verbosity, results: &ProjectResults) -> Map<String, Value> {
    let Some(head) = results
        .head
        .as_ref()
        .filter(|_| verbosity != Verbosity::Full)
    else {
        return Map::new();
    };
    let members = [
        ("type", json!(head.result_type.name())),
        ("projectId", json!(results.project.id.0)),
        ("methodVersion", json!(head.method_version)),
        ("provider", json!(head.provider)),
        ("provenance", json!(head.provenance)),
    ];
    members
        .map(|(name, it)| (name.to_owned(), it))
        .into_iter()
        .collect()
}

fn record(document: Document, fields: Option<&Selection>, known: &Map<String, Value>) -> String {
    if fields.is_none() && known.is_empty() {
        return document.into_string();
    }
    let mut whole: Value = document.parse().unwrap_or(Value::Null);
    if let Some(fields) = fields {
        whole = fields.select(&whole);
    }
    if let Some(members) = whole.as_object_mut() {
        members.retain(|name, it| known.get(name) != Some(it));
    }
    whole.to_string()
}

/// Splices stored JSON into the response: parsing it would double the request's time.
fn splice_items(before: &BeforeItems<'_>, items: &[String], after: &AfterItems<'_>) -> String {
    let written = "results have string keys and no failing serialisers";
    let before = serde_json::to_string(before).expect(written);
    let after = serde_json::to_string(after).expect(written);
    let bytes = items.iter().map(|it| it.len() + 1).sum::<usize>();
    let mut text = String::with_capacity(before.len() + bytes + after.len() + 16);
    text.push_str(&before[..before.len() - 1]);
    text.push_str(",\"items\":[");
    for (at, item) in items.iter().enumerate() {
        text.push_str(if at == 0 { "" } else { "," });
        text.push_str(item);
    }
    text.push_str("],");
    text.push_str(&after[1..]);
    text
}

fn before_items<'a>(
    results: &'a ProjectResults,
    result_type: ResultType,
    project: &'a ProjectView,
    surface: Surface,
    now: DateTime<Utc>,
) -> BeforeItems<'a> {
    let head = results.head.as_ref();
    let state = ResultState::of(result_type, &results.project, head, results.pending, now);
    BeforeItems {
        result_type: result_type.name(),
        project_id: project.id,
        project,
        state: state.name,
        reason: state.reason,
        next_actions: state.render_actions(surface),
        generated_at: head.map(|head| head.generated_at),
        job_id: head.map(|head| head.job.0),
        measured_at: head.map(|head| head.measured_at),
        method_version: head.map(|head| head.method_version.as_str()),
        provider: head.map(|head| head.provider.as_str()),
        provenance: head.map(|head| json!(head.provenance)),
        coverage: head.map(|head| json!(head.coverage)),
        summary: head.and_then(|head| serde_json::from_str(head.summary.as_str()).ok()),
    }
}

struct ResultState {
    name: &'static str,
    reason: Option<&'static str>,
    next_action: Option<NextAction>,
}

impl ResultState {
    fn of(
        result_type: ResultType,
        project: &Project,
        head: Option<&ResultHead>,
        pending: Option<JobId>,
        now: DateTime<Utc>,
    ) -> Self {
        let kind = AnalysisKind::for_result(result_type);
        match (head, pending) {
            (Some(head), _) if head.measured_at + STALE_AFTER < now => Self::with(
                "stale",
                "measuredLongAgo",
                Some(start_action(kind, project)),
            ),
            (Some(_), _) => Self {
                name: "ready",
                reason: None,
                next_action: None,
            },
            (None, _) if !AnalysisKind::is_computed(result_type) => {
                Self::with("disabled", "notBuiltYet", None)
            }
            (None, Some(job)) => {
                Self::with("pending", "analysisUnderWay", Some(follow_action(job)))
            }
            (None, None) => Self::with(
                "neverRun",
                "neverMeasured",
                Some(start_action(kind, project)),
            ),
        }
    }

    const fn with(
        name: &'static str,
        reason: &'static str,
        next_action: Option<NextAction>,
    ) -> Self {
        Self {
            name,
            reason: Some(reason),
            next_action,
        }
    }

    fn render_actions(&self, surface: Surface) -> Vec<Value> {
        let actions = self.next_action.iter();
        actions.map(|it| it.render(surface)).collect()
    }
}

/// The request that produces the results, or the step required before it.
fn start_action(kind: AnalysisKind, project: &Project) -> NextAction {
    if !project.is_active() {
        return refusals::reactivate_action(project.id);
    }
    if kind == AnalysisKind::RankCheck && project.keyword_count == 0 {
        return refusals::add_keywords(project.id);
    }
    if kind == AnalysisKind::AiVisibility && project.ai_tracked_count == 0 {
        return refusals::track_keywords(project.id);
    }
    let link = Link::to(Operation::StartAnalysis);
    NextAction::new(link, "Start the analysis that brings these results")
        .sending(json!({ "type": kind.name(), "projectId": project.id.0 }))
}

fn follow_action(job: JobId) -> NextAction {
    let link = Link::to(Operation::ListAnalyses).with("jobId", job.0);
    NextAction::new(
        link.with("wait", 20),
        "Follow the analysis that brings these results",
    )
}

async fn read_all_types(
    services: &Services,
    call: &Call,
    project: ProjectId,
) -> Result<ApiResponse, Problem> {
    let paging = paging(call, "", TOP_LIMITS, &SORTS, Direction::Ascending);
    let top = paging.limit().unwrap_or(TOP);
    let results = services
        .core
        .all_results(call.account(), project, top)
        .await?
        .ok_or_else(refusals::no_project)?;
    let now = services.core.clock.now();
    reject_single_type_parameters(&call.query)?;
    let view = ProjectView::of(
        &results.project,
        &call.tenant().report_defaults,
        services.purge_term(),
    );
    let written = |surface| {
        let readable =
            { ResultType::ALL.into_iter() }.filter(|it| call.caller.check_may_read(*it).is_ok());
        let by_type = readable.map(|it| {
            let result = overview(call.verbosity, &results, it, surface, now);
            (it.name().to_owned(), result)
        });
        let by_type: Map<String, Value> = by_type.collect();
        json!({ "type": "all", "projectId": project.0, "project": view, "results": by_type })
            .to_string()
    };
    Ok(response_for_surface(
        call.caller.surface(),
        written,
        None,
        now,
    ))
}

/// Parameters that apply to a single type only.
const SINGLE_TYPE_PARAMETERS: [&str; 9] = [
    "keywordId",
    "url",
    "to",
    "from",
    "include",
    "history",
    "cursor",
    "sort",
    "fields",
];

/// `type=all` has no paging or filters; ignoring one would return unfiltered data.
fn reject_single_type_parameters(query: &Query) -> Result<(), Problem> {
    for name in SINGLE_TYPE_PARAMETERS
        .into_iter()
        .filter(|it| query.text(it).is_some())
    {
        query.note(FieldError::in_query(
            name,
            "not-applicable",
            "goes with one result type, not with all of them",
        ));
    }
    query.finish()
}

fn overview(
    verbosity: Verbosity,
    results: &AllResults,
    result_type: ResultType,
    surface: Surface,
    now: DateTime<Utc>,
) -> Value {
    let found = results
        .heads
        .iter()
        .find(|(head, _)| head.result_type == result_type);
    let head = found.map(|(head, _)| head);
    let kind = AnalysisKind::for_result(result_type);
    let pending = results
        .pending
        .iter()
        .find_map(|(of, job)| (*of == kind).then_some(*job));
    let state = ResultState::of(result_type, &results.project, head, pending, now);
    let parsed = |document: &Document| document.parse::<Value>().unwrap_or(Value::Null);
    if verbosity != Verbosity::Full {
        // Compact: figures of all types, without records.
        return json!({
            "state": state.name,
            // Any analysis produces suggestions.
            "analysis": (head.is_none() || state.name == "stale").then(|| kind.name()),
            "measuredAt": head.map(|head| head.measured_at),
            "provenance": head.map(|head| head.provenance),
            "records": head.map(|head| head.item_count),
            "summary": head.map(|head| {
                let mut summary = parsed(&head.summary);
                if let Some(members) = summary.as_object_mut() {
                    members.shift_remove("methodVersion");
                }
                summary
            }),
        });
    }
    let top = found.map_or(&[][..], |(_, top)| top);
    let items = { top.iter() }.map(|it| Ok::<_, Infallible>(it.record.as_str().to_owned()));
    let mut budget = verbosity.byte_budget_per_list(ResultType::ALL.len());
    let Ok(items) = budget.fill(items);
    let items: Vec<Value> = { items.into_iter() }
        .map(|it| parsed(&Document::from_stored(it)))
        .collect();
    let shown = items.len() as u64;
    let records = Link::of(Operation::GetResults, results.project.id.0);
    let records = records.with("type", result_type.name());
    json!({
        "state": state.name,
        "reason": state.reason,
        "nextActions": state.render_actions(surface),
        "measuredAt": head.map(|head| head.measured_at),
        "provenance": head.map(|head| head.provenance),
        "summary": head.map(|head| parsed(&head.summary)),
        "items": items,
        "truncated": head.is_some_and(|head| head.item_count > shown),
        "next": records.href(surface),
    })
}
