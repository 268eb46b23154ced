//! DELETE /api/analyses/:id: cancels.

use crate::{
    agent_api::analyses::JobView, endpoint::Call, problem::Problem, refusals, request_metrics,
    response::ApiResponse, services::Services,
};
use domain::{ids::JobId, job::JobState, use_cases::analyses::CancelAnalysisError};
use std::sync::Arc;

/// Immediate while queued, within seconds while running. An ended job stays unchanged.
pub async fn cancel(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let id = JobId(call.id.ok_or_else(refusals::no_job)?);
    call.query.finish()?;
    let before = services.core.clock.now();
    let canceled = services.core.cancel_analysis(call.account(), id).await;
    let job = canceled.map_err(|error| match error {
        CancelAnalysisError::NoSuchJob => refusals::no_job(),
        CancelAnalysisError::Storage(error) => error.into(),
    })?;
    // Not if it had ended before; the worker counts running jobs.
    if job.state == JobState::Canceled && job.finished_at.is_some_and(|at| at >= before) {
        request_metrics::count_canceled(job.kind);
    }
    Ok(ApiResponse::ok(&JobView::of(
        &job,
        None,
        services.core.clock.now(),
    )))
}
