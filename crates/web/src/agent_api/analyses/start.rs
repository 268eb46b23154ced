//! POST /analyze.

use super::{JobView, LOOK_AGAIN, MoneyView};
use crate::{
    agent_api::keywords::AllowanceView,
    answer::Answer,
    counted,
    endpoint::Call,
    fields::{Fields, read_body, whole},
    links::{Link, Operation},
    problem::Problem,
    refusals,
    services::Services,
};
use chrono::{DateTime, Utc};
use domain::{
    ai_models::ModelChoice,
    ids::{KeywordId, ProjectId},
    job::{Job, JobPriority, Trigger, kind::AnalysisKind},
    keyword::KeywordChoice,
    money::MicroUsd,
    ports::spending::Spending,
    project::each_once,
    text::Text,
    use_cases::{
        budgets::Budget,
        request_analysis::{
            AnalysisPlan, AnalysisRequest, EnginePlan, RequestAnalysisError, Requested,
        },
    },
};
use serde_json::{Value, json};
use std::sync::Arc;

pub const FIELDS: [&str; 6] = [
    "type",
    "projectId",
    "keywordIds",
    "models",
    "dryRun",
    "priority",
];

const MOST_KEYWORDS: usize = 5_000;
const MOST_MODELS: usize = 20;

/// With `dryRun` tells what it would do.
pub async fn start(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let asked = call
        .query
        .finish()
        .and_then(|()| read_body(&call.body, read));
    let (request, dry_run) = match asked {
        Ok(asked) => asked,
        Err(mistakes) => {
            // A project that is not there is told before anything else that is wrong with the request.
            if let Some(id) = call.body.get("projectId").and_then(whole) {
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
            Ok(plan) => Ok(Answer::value(&plan_document(&plan, &request))),
            Err(error) => Err(refused(&services, &call, error, request.project).await),
        };
    }
    let now = services.core.clock.now();
    let stored = |requested: &Requested| answer(requested, now).stored();
    let requested = services
        .core
        .request_analysis(call.account(), &request, call.receipt(&stored))
        .await;
    let requested = match requested {
        Ok(requested) => requested,
        Err(error) => return Err(refused(&services, &call, error, request.project).await),
    };
    services.wake.notify_one();
    if !requested.deduplicated {
        note(&requested.job);
    }
    Ok(answer(&requested, now).kept())
}

async fn refused(
    services: &Services,
    call: &Call,
    error: RequestAnalysisError,
    project: ProjectId,
) -> Problem {
    // These are told before the project is read.
    if let RequestAnalysisError::NotBuilt(_) | RequestAnalysisError::Unpaid(_) = error
        && let Err(missing) = services.project(call.account(), project).await
    {
        return missing;
    }
    refusals::analysis(error, project)
}

/// Joins the log lines of a job and of the request that queued it: in the request's span, it names the job.
fn note(job: &Job) {
    counted::enqueued(job.kind);
    tracing::info!(
        jobId = job.id.0,
        accountId = job.account.0,
        kind = job.kind.name(),
        "A job was queued."
    );
}

fn answer(requested: &Requested, now: DateTime<Utc>) -> Answer {
    let job = JobView {
        deduplicated: requested.deduplicated,
        ..JobView::of(&requested.job, None, now)
    };
    let location = Link::to(Operation::ListAnalyses).with("jobId", job.id);
    Answer::with_status(202, &job)
        .at(location)
        .header("Retry-After", LOOK_AGAIN)
}

fn read(fields: &Fields) -> Option<(AnalysisRequest, bool)> {
    fields.only(&FIELDS);
    let kind = fields.required(
        "type",
        fields.choice("type", &AnalysisKind::NAMES, AnalysisKind::named),
    );
    let project = fields.required("projectId", fields.id("projectId"));
    let keywords = fields.or_left_out("keywordIds", fields.ids("keywordIds", MOST_KEYWORDS));
    if keywords.as_ref().is_some_and(Vec::is_empty) {
        fields.note_at(
            "keywordIds",
            "too-few",
            "must hold at least one id; leave it out to measure all keywords",
        );
    }
    let goes_to_pages = match kind {
        Some(AnalysisKind::SiteAudit) => Some("does not go with siteAudit, which reads pages"),
        Some(AnalysisKind::WebVitals) => Some("does not go with webVitals, which loads pages"),
        _ => None,
    };
    if let Some(told) = goes_to_pages.filter(|_| keywords.is_some()) {
        fields.note_at("keywordIds", "not-applicable", told);
    }
    let models = fields.or_left_out(
        "models",
        fields.texts("models", MOST_MODELS, Text::<64>::parse),
    );
    if models.as_ref().is_some_and(Vec::is_empty) {
        fields.note_at(
            "models",
            "too-few",
            "must hold at least one; leave it out to ask all that are active",
        );
    }
    if models.is_some() && kind.is_some_and(|it| it != AnalysisKind::AiVisibility) {
        fields.note_at("models", "not-applicable", "goes with aiVisibility alone");
    }
    let dry_run = fields
        .or_left_out("dryRun", fields.flag("dryRun"))
        .unwrap_or(false);
    let priority = fields.or_left_out(
        "priority",
        fields.choice("priority", &JobPriority::NAMES, JobPriority::named),
    );
    let named =
        |ids: Vec<i64>| KeywordChoice::Named(each_once(ids).into_iter().map(KeywordId).collect());
    let request = AnalysisRequest {
        project: ProjectId(project?),
        kind: kind?,
        keywords: keywords.map_or(KeywordChoice::All, named),
        models: models.map_or(ModelChoice::All, |it| {
            ModelChoice::Named(each_once(it.iter().map(ToString::to_string).collect()))
        }),
        priority: priority.unwrap_or_default(),
        trigger: Trigger::Api,
    };
    Some((request, dry_run))
}

fn engine_document(plan: &EnginePlan) -> Value {
    json!({
        "engine": plan.engine,
        "answers": plan.answers,
        "pricePerAnswer": plan.each.cost.to_string(),
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
        "sentiment": plan.judge.as_ref().map(engine_document),
        "allowance": plan.ai_allowance.map(|it| json!({ "aiTracked": AllowanceView::of(it) })),
        "results": request.kind.results().iter().map(|result| result.name()).collect::<Vec<_>>(),
        "wouldExceed": plan.exceeds.map(Budget::name),
        "wouldJoinJobId": plan.duplicate.map(|job| job.0),
    })
}
