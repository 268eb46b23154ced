//! DELETE /api/analyses/:id: cancels.

use crate::{
    agent_api::analyses::JobView, answer::Answer, endpoint::Call, problem::Problem, refusals,
    services::Services,
};
use domain::{ids::JobId, use_cases::cancel_analysis::CancelAnalysisError};
use std::sync::Arc;

/// Cancels an analysis: at once while it waits, within seconds while it runs. One that has ended
/// stays as it is.
pub async fn cancel(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let id = JobId(call.id.ok_or_else(refusals::no_job)?);
    call.query.finish()?;
    let canceled = services.cancel_analysis.run(call.account(), id).await;
    let job = canceled.map_err(|error| match error {
        CancelAnalysisError::NoSuchJob => refusals::no_job(),
        CancelAnalysisError::Storage(error) => error.into(),
    })?;
    Ok(Answer::ok(&JobView::of(&job, None, services.clock.now())))
}
