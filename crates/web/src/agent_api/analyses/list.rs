//! GET /analyze.

use super::{JobView, QueueView};
use crate::agent_api::{ListBody, paging, render_rows, with_next_link};
use crate::contract::parameters::Query;
use crate::contract::{arguments, query};
use crate::endpoint::Call;
use crate::paging::{
    PageLimits, bound_query, finish_query, page_parameters, sort_parameter, total_parameter,
};
use crate::problem::{FieldError, Problem};
use crate::response::{ApiResponse, RETRY_AFTER_SECONDS};
use crate::services::Services;
use crate::{http::client_disconnect, refusals};
use domain::ids::{JobId, ProjectId};
use domain::job::JobStatus;
use domain::job::kind::AnalysisKind;
use domain::page::Direction;
use domain::ports::jobs::{JobFilter, JobSort};
use domain::use_cases::analyses::JobDetails;
use serde_json::json;
use std::{sync::Arc, time::Duration};

pub const LIST_LIMITS: PageLimits = PageLimits {
    default: 50,
    max: 200,
};

const SORTS: [(&str, JobSort); 1] = [("createdAt", JobSort::CreatedAt)];

/// In seconds.
const MAX_WAIT_SECONDS: u64 = 20;
const POLL_INTERVAL: Duration = Duration::from_millis(250);

query! {
    pub(crate) ListAnalyses {
        ..page_parameters(LIST_LIMITS);
        ..total_parameter();
        ..sort_parameter(&SORTS, "Newest first when left out.");
        job: JobId = optional "jobId", "Only this analysis.";
        wait: Wait = optional "wait", "With jobId: hold the answer so many seconds, or until it ends.";
        project: ProjectId = optional "projectId", "Only of this project.";
        kind: AnalysisKind = optional "type", "Only of this kind.";
        status: JobStatus = optional "status", "Only with this status.";
    }
}

/// Newest first; with `jobId`, only that job.
pub async fn list(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let bound_to = bound_query(&call.path, &call.query_text);
    let paging = paging(&call, &bound_to, LIST_LIMITS, &SORTS, Direction::Descending);
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let query = &call.query;
    let parameters = ListAnalyses(query);
    let filter = JobFilter {
        project: parameters.project(),
        kind: parameters.kind(),
        status: parameters.status(),
    };
    let max_wait = parameters.wait().unwrap_or_default();
    let page = paging.request(key, now);
    if query.text("jobId").is_some() {
        for name in ["type", "status"] {
            if query.text(name).is_some() {
                let rule = "does not go with jobId, which names one analysis";
                query.note(FieldError::in_query(name, "not-applicable", rule));
            }
        }
        return one(&services, &call, filter.project, max_wait).await;
    }
    if query.text("wait").is_some() {
        let rule = "goes with jobId alone: name the analysis to wait for, or leave it out";
        query.note(FieldError::in_query("wait", "not-applicable", rule));
    }
    let Some(request) = page.filter(|_| query.finish().is_ok()) else {
        // An unknown project (404) is reported before query errors (422).
        if let Some(project) = filter.project {
            services.project(call.account(), project).await?;
        }
        return finish_query(None, query);
    };
    let mut list = services
        .core
        .analyses(call.account(), &filter, &request)
        .await?;
    let none_is_online = services.core.no_worker_online_for(&list.jobs.items);
    let none_is_online = none_is_online.await?;
    let items = render_rows(call.verbosity, &mut list.jobs, None, |job| {
        JobView::of(job, None, now).with_worker_wait(none_is_online, job, now)
    });
    let next = paging.next_cursor(&list.jobs, key, now);
    let body = ListBody {
        queue: Some(QueueView::of(&list.queue, now)),
        ..ListBody::of(items, &list.jobs, next.as_deref(), request.limit)
    };
    Ok(with_next_link(
        ApiResponse::ok(&body),
        &call,
        next.as_deref(),
    ))
}

async fn one(
    services: &Services,
    call: &Call,
    project: Option<ProjectId>,
    timeout: Duration,
) -> Result<ApiResponse, Problem> {
    let id = { ListAnalyses(&call.query) }.job();
    let id = id.ok_or_else(refusals::no_job)?;
    let mut found = find(services, call, id).await?;
    if project.is_some_and(|project| project != found.job.project) {
        return Err(refusals::no_job());
    }
    call.query.finish()?;
    let until = tokio::time::Instant::now() + timeout;
    let mut hung_up = std::pin::pin!(client_disconnect::peer_disconnected(call.peer.as_ref()));
    // A stopping server responds at once; the client polls another server.
    while found.job.state.is_unfinished()
        && tokio::time::Instant::now() < until
        && !services.stopping.is_cancelled()
    {
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = services.stopping.cancelled() => {}
            () = &mut hung_up => break,
        }
        found = find(services, call, id).await?;
    }
    let now = services.core.clock.now();
    let none_is_online = services.core.no_worker_online_for([&found.job]);
    let item = JobView::of(&found.job, found.position, now).with_worker_wait(
        none_is_online.await?,
        &found.job,
        now,
    );
    let answer = ApiResponse::ok(
        &json!({ "items": [item], "queue": QueueView::of(&found.queue, now), "nextCursor": null, "limit": 1 }),
    );
    let is_unfinished = found.job.state.is_unfinished();
    Ok(if is_unfinished {
        answer.header("Retry-After", RETRY_AFTER_SECONDS)
    } else {
        answer
    })
}

async fn find(services: &Services, call: &Call, id: JobId) -> Result<JobDetails, Problem> {
    services
        .core
        .analysis(call.account(), id)
        .await?
        .ok_or_else(refusals::no_job)
}

/// In seconds.
struct Wait;

arguments! {
    Wait => Duration: wait, json!({ "type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS });
}

fn wait(query: &Query, name: &str) -> Option<Duration> {
    let seconds = query.text(name)?.parse().ok();
    let seconds = seconds.filter(|it| *it <= MAX_WAIT_SECONDS);
    if seconds.is_none() {
        let rule = format!("must be a number of seconds up to {MAX_WAIT_SECONDS}");
        let error = FieldError::in_query(name, "invalid-value", rule);
        query.note(error.with("min", 0).with("max", MAX_WAIT_SECONDS));
    }
    seconds.map(Duration::from_secs)
}
