//! /api/projects/:id/content-plans: content planned per keyword.

use crate::agent_api::{ListBody, keywords, paging, render_rows};
use crate::contract::fields::{read_body, read_patch};
use crate::contract::{List, body, bounded_numbers, nested_body, parsed, string_enums};
use crate::endpoint::Call;
use crate::http::byte_budget::MAX_BYTES;
use crate::http::entity_tag::EntityTag;
use crate::links::{Link, Operation};
use crate::paging::{PageLimits, bound_query, finish_query};
use crate::problem::{FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use analysis::{findings::envelope::rounded, search_intent::Intent};
use chrono::{DateTime, NaiveDate, Utc};
use domain::content_plan::{
    Clustering, ContentPlan, ContentPlanPatch, Effort, ItemStatus, NewContentPlan, OutlineLine,
    PageTitle, PlanAction, PlanItem, PlanSummary, SchemaType,
};
use domain::ids::{ContentPlanId, ProjectId};
use domain::keyword::KeywordText;
use domain::page::Direction;
use domain::ports::content_plans::ContentPlanSort;
use domain::text::Label;
use domain::use_cases::content_plans::ContentPlanError;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

pub const LIST_LIMITS: PageLimits = PageLimits {
    default: 50,
    max: 200,
};

const SORTS: [(&str, ContentPlanSort); 1] = [("createdAt", ContentPlanSort::CreatedAt)];

body! {
    AddContentPlan {
        name: Label = required "name";
        clustered_by: Clustering = required "clusteredBy";
        items: List<ItemMembers, 0, { ContentPlan::MAX_ITEMS }> = required "items";
    }
}

body! {
    ChangeContentPlan {
        name: Label = change "name";
        clustered_by: Clustering = change "clusteredBy";
        items: List<ItemMembers, 0, { ContentPlan::MAX_ITEMS }> = change "items";
    }
}

body! {
    ItemMembers {
        keyword: KeywordText = required "keyword";
        cluster: Label = nullable "cluster";
        intent: Intent = nullable "intent";
        action: PlanAction = required "action";
        target_url: PageOrPath = nullable "targetUrl";
        title: PageTitle = nullable "title";
        outline: List<OutlineLine, 0, { PlanItem::MAX_LINES }> = nullable "outline";
        schema_types: List<SchemaType, 0, { PlanItem::MAX_TYPES }> = nullable "schemaTypes";
        priority: ItemPriority = nullable "priority";
        effort: Effort = nullable "effort";
        status: ItemStatus = optional "status";
        due_on: NaiveDate = nullable "dueOn";
        owner: Label = nullable "owner";
    }
}
nested_body!(ItemMembers => PlanItem: item);
string_enums!(Clustering, Effort, Intent, ItemStatus, PlanAction);

bounded_numbers! {
    ItemPriority => f64: 0.0..=PlanItem::MAX_PRIORITY;
}

struct PageOrPath;

parsed! {
    PageOrPath => String: page, json!({ "type": "string", "minLength": 1, "maxLength": MAX_PATH });
}

/// Of a path on the site, in bytes.
const MAX_PATH: usize = 2_048;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlanView {
    id: i64,
    project_id: i64,
    name: String,
    clustered_by: &'static str,
    item_count: usize,
    items: Vec<ItemView>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemView {
    keyword: String,
    cluster: Option<String>,
    intent: Option<&'static str>,
    action: &'static str,
    target_url: Option<String>,
    title: Option<String>,
    outline: Vec<String>,
    schema_types: Vec<String>,
    #[serde(serialize_with = "rounded::fraction_or_null")]
    priority: Option<f64>,
    effort: Option<&'static str>,
    status: &'static str,
    due_on: Option<NaiveDate>,
    owner: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummaryView {
    id: i64,
    name: String,
    clustered_by: &'static str,
    item_count: u32,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl PlanView {
    fn of(plan: &ContentPlan) -> Self {
        Self {
            id: plan.id.0,
            project_id: plan.project.0,
            name: plan.name.to_string(),
            clustered_by: plan.clustered_by.name(),
            item_count: plan.items.len(),
            items: plan.items.iter().map(ItemView::of).collect(),
            created_at: plan.created_at,
            updated_at: plan.updated_at,
        }
    }
}

impl ItemView {
    fn of(item: &PlanItem) -> Self {
        Self {
            keyword: item.keyword.to_string(),
            cluster: item.cluster.as_ref().map(ToString::to_string),
            intent: item.intent.map(Intent::name),
            action: item.action.name(),
            target_url: item.target_url.clone(),
            title: item.title.as_ref().map(ToString::to_string),
            outline: item.outline.iter().map(ToString::to_string).collect(),
            schema_types: item.schema_types.iter().map(ToString::to_string).collect(),
            priority: item.priority,
            effort: item.effort.map(Effort::name),
            status: item.status.name(),
            due_on: item.due_on,
            owner: item.owner.as_ref().map(ToString::to_string),
        }
    }
}

impl SummaryView {
    fn of(plan: &PlanSummary) -> Self {
        Self {
            id: plan.id.0,
            name: plan.name.to_string(),
            clustered_by: plan.clustered_by.name(),
            item_count: plan.item_count,
            created_at: plan.created_at,
            updated_at: plan.updated_at,
        }
    }
}

/// Newest first.
pub async fn list(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?.id;
    let bound_to = bound_query(&call.path, &call.query_text);
    let paging = paging(&call, &bound_to, LIST_LIMITS, &SORTS, Direction::Descending);
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let request = finish_query(paging.request(key, now), &call.query)?;
    let mut page = services
        .core
        .content_plans(call.account(), project, &request)
        .await?
        .ok_or_else(refusals::no_project)?;
    let items = render_rows(call.verbosity, &mut page, None, SummaryView::of);
    let next = paging.next_cursor(&page, key, now);
    let body = ListBody::of(items, &page, next.as_deref(), request.limit);
    Ok(body.to_response(&call, now))
}

pub async fn add(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?.id;
    call.query.finish()?;
    let new = read_body(&call.body, |body: &AddContentPlan| {
        let (name, clustered_by, items) = (body.name(), body.clustered_by(), body.items());
        Some(NewContentPlan {
            name: name?,
            clustered_by: clustered_by?,
            items: items?,
        })
    })?;
    check_size(&new.items)?;
    let stored = |plan: &ContentPlan| created_response(plan).to_stored();
    let plan = services
        .core
        .add_content_plan(
            call.account(),
            project,
            &new,
            call.idempotency_writer(&stored),
        )
        .await
        .map_err(|error| refused(error, project))?;
    Ok(created_response(&plan).marked_stored())
}

fn created_response(plan: &ContentPlan) -> ApiResponse {
    let view = PlanView::of(plan);
    let location = Link::of(Operation::GetContentPlan, plan.project.0).part(plan.id.0);
    ApiResponse::with_status(201, &view)
        .with_etag(EntityTag::of(&view))
        .with_location(location)
}

pub async fn read(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let plan = find_plan(&services, &call).await?;
    call.query.finish()?;
    Ok(ApiResponse::resource(&PlanView::of(&plan)))
}

/// Items are replaced as a whole.
pub async fn change(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let current = find_plan(&services, &call).await?;
    call.query.finish()?;
    let shown = serde_json::to_value(PlanView::of(&current)).unwrap_or(Value::Null);
    let patch = read_patch(&call.body, &shown, &[], |body: &ChangeContentPlan| {
        ContentPlanPatch {
            name: body.name(),
            clustered_by: body.clustered_by(),
            items: body.items(),
        }
    })?;
    if let Some(items) = patch.items.as_set() {
        check_size(items)?;
    }
    let changed = services
        .core
        .change_content_plan(
            call.account(),
            current.project,
            current.id,
            &patch,
            Some(&call.expects(PlanView::of)),
        )
        .await
        .map_err(|error| refused(error, current.project))?;
    Ok(ApiResponse::resource(&PlanView::of(&changed)))
}

pub async fn remove(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let (project, plan) = path_ids(&call)?;
    call.query.finish()?;
    services
        .core
        .remove_content_plan(
            call.account(),
            project,
            plan,
            Some(&call.expects(PlanView::of)),
        )
        .await
        .map_err(|error| refused(error, project))?;
    Ok(ApiResponse::text(204, String::new()))
}

fn path_ids(call: &Call) -> Result<(ProjectId, ContentPlanId), Problem> {
    let project = call.project_id()?;
    let plan = call
        .part_id
        .ok_or_else(|| refusals::no_content_plan(project))?;
    Ok((project, ContentPlanId(plan)))
}

async fn find_plan(services: &Services, call: &Call) -> Result<ContentPlan, Problem> {
    let (project, plan) = path_ids(call)?;
    let found = services.core.content_plan(call.account(), project, plan);
    found.await.map_err(|error| refused(error, project))
}

fn refused(error: ContentPlanError, project: ProjectId) -> Problem {
    match error {
        ContentPlanError::NoSuchProject => refusals::no_project(),
        ContentPlanError::NoSuchPlan => refusals::no_content_plan(project),
        ContentPlanError::NotAsExpected(plan) => {
            refusals::precondition_failed(&EntityTag::of(&PlanView::of(&plan)))
        }
        ContentPlanError::ProjectDeactivated => refusals::deactivated_project(project),
        ContentPlanError::Allowance(error) => refusals::allowance_exceeded(error),
        ContentPlanError::Full(error) => refusals::storage_exceeded(error),
        ContentPlanError::UsedMeanwhile(_) => refusals::in_progress(),
        ContentPlanError::Storage(error) => error.into(),
    }
}

/// A plan has to fit into a response (256 KiB).
fn check_size(items: &[PlanItem]) -> Result<(), Problem> {
    let views: Vec<ItemView> = items.iter().map(ItemView::of).collect();
    let bytes = serde_json::to_string(&views).map_or(usize::MAX, |it| it.len());
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let rule = format!("must not have more than {MAX_BYTES} bytes together, they have {bytes}");
    let error = FieldError::in_body("/items", "too-large", rule);
    Err(Problem::invalid_value(error.with("max", MAX_BYTES)))
}

fn item(it: &ItemMembers) -> Option<PlanItem> {
    let (keyword, action, status) = (it.keyword(), it.action(), it.status());
    let (effort, priority) = (it.effort(), it.priority());
    let (outline, schema_types) = (it.outline(), it.schema_types());
    Some(PlanItem {
        cluster: it.cluster().value(),
        intent: it.intent().value(),
        target_url: it.target_url().value(),
        title: it.title().value(),
        outline: outline.value().unwrap_or_default(),
        schema_types: schema_types.value().unwrap_or_default(),
        // Rounded as in responses, so that a plan can be sent back unchanged.
        priority: priority.value().map(rounded::six_digits),
        effort: effort.value(),
        status: status.unwrap_or(ItemStatus::Planned),
        due_on: it.due_on().value(),
        owner: it.owner().value(),
        keyword: keyword?,
        action: action?,
    })
}

/// An existing page has a URL; a planned one may have a path alone.
fn page(text: &str) -> Result<String, &'static str> {
    let is_path = text.starts_with('/')
        && !text.starts_with("//")
        && text.len() <= MAX_PATH
        && !text.contains('\\')
        && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    if is_path {
        return Ok(text.to_owned());
    }
    let rule =
        "must be an http or https address, or a path that begins with /, of at most 2048 bytes";
    keywords::target_url(text).map_err(|_| rule)
}
