//! GET /analyze.

use super::{JobView, QueueView};
use crate::agent_api::{ListBody, linked, paging, written};
use crate::answer::{Answer, LOOK_AGAIN};
use crate::contract::parameters::Query;
use crate::contract::{arguments, query};
use crate::endpoint::Call;
use crate::paging::{Limits, bound_part, order, pages, total, wanted};
use crate::problem::{FieldError, Problem};
use crate::services::Services;
use crate::{http::hang_up, refusals};
use domain::ids::{JobId, ProjectId};
use domain::job::JobStatus;
use domain::job::kind::AnalysisKind;
use domain::page::Direction;
use domain::ports::jobs::{JobFilter, JobSort};
use domain::use_cases::analyses::JobState;
use serde_json::json;
use std::{sync::Arc, time::Duration};

pub const LIST_LIMITS: Limits = Limits {
    default: 50,
    most: 200,
};

const SORTS: [(&str, JobSort); 1] = [("createdAt", JobSort::CreatedAt)];

/// In seconds.
const LONGEST_WAIT: u64 = 20;
const LOOK_EVERY: Duration = Duration::from_millis(250);

query! {
    pub(crate) ListAnalyses {
        ..pages(LIST_LIMITS);
        ..total();
        ..order(&SORTS, "Newest first when left out.");
        job: JobId = optional "jobId", "Only this analysis.";
        wait: Wait = optional "wait", "With jobId: hold the answer so many seconds, or until it ends.";
        project: ProjectId = optional "projectId", "Only of this project.";
        kind: AnalysisKind = optional "type", "Only of this kind.";
        status: JobStatus = optional "status", "Only with this status.";
    }
}

/// Newest first; with `jobId`, only that job.
pub async fn list(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let bound_to = bound_part(&call.path, &call.query_text);
    let paging = paging(&call, &bound_to, LIST_LIMITS, &SORTS, Direction::Descending);
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let query = &call.query;
    let asked = ListAnalyses(query);
    let filter = JobFilter {
        project: asked.project(),
        kind: asked.kind(),
        status: asked.status(),
    };
    let patience = asked.wait().unwrap_or_default();
    let page = paging.request(key, now);
    if query.text("jobId").is_some() {
        for name in ["type", "status"] {
            if query.text(name).is_some() {
                let rule = "does not go with jobId, which names one analysis";
                query.note(FieldError::in_query(name, "not-applicable", rule));
            }
        }
        return one(&services, &call, filter.project, patience).await;
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
        return wanted(None, query);
    };
    let mut list = services
        .core
        .analyses(call.account(), &filter, &request)
        .await?;
    let none_is_online = services.core.is_no_worker_online_for(&list.jobs.items);
    let none_is_online = none_is_online.await?;
    let items = written(call.telling, &mut list.jobs, None, |job| {
        JobView::of(job, None, now).while_none_is_online(none_is_online, job, now)
    });
    let next = paging.next_cursor(&list.jobs, key, now);
    let body = ListBody {
        queue: Some(QueueView::of(&list.queue, now)),
        ..ListBody::of(items, &list.jobs, next.as_deref(), request.limit)
    };
    Ok(linked(Answer::ok(&body), &call, next.as_deref()))
}

async fn one(
    services: &Services,
    call: &Call,
    project: Option<ProjectId>,
    patience: Duration,
) -> Result<Answer, Problem> {
    let id = { ListAnalyses(&call.query) }.job();
    let id = id.ok_or_else(refusals::no_job)?;
    let mut found = find(services, call, id).await?;
    if project.is_some_and(|project| project != found.job.project) {
        return Err(refusals::no_job());
    }
    call.query.finish()?;
    let until = tokio::time::Instant::now() + patience;
    let mut hung_up = std::pin::pin!(hang_up::by(call.peer.as_ref()));
    // A stopping server responds at once; the client polls another server.
    while found.job.state.is_unfinished()
        && tokio::time::Instant::now() < until
        && !services.stopping.is_cancelled()
    {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = services.stopping.cancelled() => {}
            () = &mut hung_up => break,
        }
        found = find(services, call, id).await?;
    }
    let now = services.core.clock.now();
    let none_is_online = services.core.is_no_worker_online_for([&found.job]);
    let item = JobView::of(&found.job, found.position, now).while_none_is_online(
        none_is_online.await?,
        &found.job,
        now,
    );
    let answer = Answer::ok(
        &json!({ "items": [item], "queue": QueueView::of(&found.queue, now), "nextCursor": null, "limit": 1 }),
    );
    let is_unfinished = found.job.state.is_unfinished();
    Ok(if is_unfinished {
        answer.header("Retry-After", LOOK_AGAIN)
    } else {
        answer
    })
}

async fn find(services: &Services, call: &Call, id: JobId) -> Result<JobState, Problem> {
    services
        .core
        .analysis(call.account(), id)
        .await?
        .ok_or_else(refusals::no_job)
}

/// In seconds.
struct Wait;

arguments! {
    Wait => Duration: wait, json!({ "type": "integer", "minimum": 0, "maximum": LONGEST_WAIT });
}

fn wait(query: &Query, name: &str) -> Option<Duration> {
    let seconds = query.text(name)?.parse().ok();
    let seconds = seconds.filter(|it| *it <= LONGEST_WAIT);
    if seconds.is_none() {
        let rule = format!("must be a number of seconds up to {LONGEST_WAIT}");
        let error = FieldError::in_query(name, "invalid-value", rule);
        query.note(error.with("min", 0).with("max", LONGEST_WAIT));
    }
    seconds.map(Duration::from_secs)
}
