//! POST /analyze.

use super::{JobView, MoneyView};
use crate::agent_api::keywords::AllowanceView;
use crate::contract::fields::{read_body, whole_number};
use crate::contract::{Body, List, body, parsed};
use crate::endpoint::Call;
use crate::links::{Link, Operation};
use crate::problem::Problem;
use crate::response::{ApiResponse, RETRY_AFTER_SECONDS};
use crate::services::Services;
use crate::{refusals, request_metrics};
use chrono::{DateTime, Utc};
use domain::ai_models::ModelChoice;
use domain::ids::{KeywordId, ProjectId};
use domain::job::kind::AnalysisKind;
use domain::job::{Job, JobPriority, Trigger};
use domain::keyword::KeywordChoice;
use domain::money::MicroUsd;
use domain::ports::spending::Spending;
use domain::project::unique_in_order;
use domain::text::Text;
use domain::use_cases::budgets::Budget;
use domain::use_cases::request_analysis::{
    AnalysisPlan, AnalysisRequest, EnginePlan, RequestAnalysisError, RequestedJob,
};
use serde_json::{Value, json};
use std::sync::Arc;

const MAX_KEYWORDS: usize = 5_000;
const MAX_MODELS: usize = 20;

body! {
    pub(crate) StartAnalysis like { "type": "rankCheck", "projectId": 3_570_000_000_000_001_i64 } {
        kind: AnalysisKind = required "type", "Kinds that this version does not run are refused with feature-disabled.";
        project: ProjectId = required "projectId";
        keywords: List<KeywordId, 1, MAX_KEYWORDS> = optional "keywordIds" or "must hold at least one id; leave it out to measure all keywords", "For rankCheck and aiVisibility: only these keywords.";
        models: List<EngineName, 1, MAX_MODELS> = optional "models" or "must hold at least one; leave it out to ask all that are active", "For aiVisibility: only these AI engines, by the ids of GET /models; they have to be active.";
        dry_run: bool = optional "dryRun", "Return what it would do and cost, and do nothing.";
        priority: JobPriority = optional "priority";
    }
}

struct EngineName;

parsed! {
    EngineName => Text<64>: Text::parse, json!({ "type": "string", "minLength": 1, "maxLength": 64 });
}

/// Analyses of pages accept no `keywordIds`.
pub fn start_schema() -> Value {
    let others = { AnalysisKind::ALL.into_iter() }.filter(|it| keyword_ids_rule(*it).is_none());
    let others: Vec<&str> = others.map(AnalysisKind::name).collect();
    let mut schema = StartAnalysis::schema();
    schema["anyOf"] = json!([
        { "properties": { "type": { "enum": others } } },
        { "properties": { "keywordIds": false } },
    ]);
    schema
}

const fn keyword_ids_rule(kind: AnalysisKind) -> Option<&'static str> {
    match kind {
        AnalysisKind::SiteAudit => Some("does not go with siteAudit, which reads pages"),
        AnalysisKind::WebVitals => Some("does not go with webVitals, which loads pages"),
        _ => None,
    }
}

/// With `dryRun`, only returns the plan.
pub async fn start(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let parsed = call
        .query
        .finish()
        .and_then(|()| read_body(&call.body, read));
    let (request, dry_run) = match parsed {
        Ok(parsed) => parsed,
        Err(mistakes) => {
            // An unknown project (404) is reported before validation errors (422).
            if let Some(id) = call.body.get("projectId").and_then(whole_number) {
                services.project(call.account(), ProjectId(id)).await?;
            }
            return Err(mistakes);
        }
    };
    let request = AnalysisRequest {
        trigger: call.caller.trigger(),
        ..request
    };
    if dry_run {
        let plan = services.core.plan_analysis(call.tenant(), &request).await;
        return match plan {
            Ok(plan) => Ok(ApiResponse::value(&plan_document(&plan, &request))),
            Err(error) => Err(refused(&services, &call, error, request.project).await),
        };
    }
    let now = services.core.clock.now();
    let stored = |requested: &RequestedJob| response(requested, now).to_stored();
    let requested = services
        .core
        .request_analysis(call.account(), &request, call.idempotency_writer(&stored))
        .await;
    let requested = match requested {
        Ok(requested) => requested,
        Err(error) => return Err(refused(&services, &call, error, request.project).await),
    };
    services.wake.notify_one();
    if !requested.deduplicated {
        note(&requested.job);
    }
    Ok(response(&requested, now).marked_stored())
}

async fn refused(
    services: &Services,
    call: &Call,
    error: RequestAnalysisError,
    project: ProjectId,
) -> Problem {
    // These are returned before the project is read, but an unknown project takes precedence.
    if let RequestAnalysisError::NotBuilt(_) | RequestAnalysisError::PaidCallRefused(_) = error
        && let Err(missing) = services.project(call.account(), project).await
    {
        return missing;
    }
    refusals::analysis_refused(error, project)
}

/// Logs the job id in the request's span, which links the job's log lines to the request.
fn note(job: &Job) {
    request_metrics::count_enqueued(job.kind);
    tracing::info!(
        jobId = job.id.0,
        accountId = job.account.0,
        kind = job.kind.name(),
        "A job was queued."
    );
}

fn response(requested: &RequestedJob, now: DateTime<Utc>) -> ApiResponse {
    let job = JobView {
        deduplicated: requested.deduplicated,
        ..JobView::of(&requested.job, None, now)
    };
    let location = Link::to(Operation::ListAnalyses).with("jobId", job.id);
    ApiResponse::with_status(202, &job)
        .with_location(location)
        .header("Retry-After", RETRY_AFTER_SECONDS)
}

fn read(body: &StartAnalysis) -> Option<(AnalysisRequest, bool)> {
    let fields = body.fields();
    let (kind, project, keywords) = (body.kind(), body.project(), body.keywords());
    if let Some(rule) = kind
        .and_then(keyword_ids_rule)
        .filter(|_| keywords.is_some())
    {
        fields.note_at("keywordIds", "not-applicable", rule);
    }
    let models = body.models();
    if models.is_some() && kind.is_some_and(|it| it != AnalysisKind::AiVisibility) {
        fields.note_at("models", "not-applicable", "goes with aiVisibility alone");
    }
    let (dry_run, priority) = (body.dry_run(), body.priority());
    let request = AnalysisRequest {
        project: project?,
        kind: kind?,
        keywords: keywords.map_or(KeywordChoice::All, |ids| {
            KeywordChoice::Named(unique_in_order(ids).into_iter().collect())
        }),
        models: models.map_or(ModelChoice::All, |it| {
            ModelChoice::Named(unique_in_order(
                it.iter().map(ToString::to_string).collect(),
            ))
        }),
        priority: priority.unwrap_or_default(),
        trigger: Trigger::Api,
    };
    Some((request, dry_run.unwrap_or(false)))
}

fn engine_document(plan: &EnginePlan) -> Value {
    json!({
        "engine": plan.engine,
        "answers": plan.answers,
        "pricePerAnswer": plan.max_per_answer.cost.to_string(),
    })
}

fn plan_document(plan: &AnalysisPlan, request: &AnalysisRequest) -> Value {
    let committed = |of: &Spending, extra: i64| MicroUsd(of.taken().0 + extra).to_string();
    let budget = |limit: Option<MicroUsd>, of: &Spending| {
        json!({
            "limit": limit.map(|budget| budget.to_string()),
            "usedBefore": committed(of, 0),
            "usedAfter": committed(of, plan.cost.0),
            "currency": MicroUsd::CURRENCY,
        })
    };
    let mut month = budget(plan.budget, &plan.spending);
    month["today"] = budget(plan.daily_budget, &plan.today);
    json!({
        "dryRun": true,
        "projectId": request.project.0,
        "type": request.kind.name(),
        "units": plan.units,
        "unit": request.kind.unit(),
        "expectedCost": MoneyView::of(plan.cost, plan.calls),
        "budget": month,
        "engines": plan.engines.iter().map(engine_document).collect::<Vec<_>>(),
        "sentiment": plan.sentiment.as_ref().map(engine_document),
        "allowance": plan.ai_allowance.map(|it| json!({ "aiTracked": AllowanceView::of(it) })),
        "results": request.kind.results().iter().map(|result| result.name()).collect::<Vec<_>>(),
        "wouldExceed": plan.exceeds.map(Budget::name),
        "wouldJoinJobId": plan.duplicate.map(|job| job.0),
    })
}
