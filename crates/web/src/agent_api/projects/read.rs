//! GET /projects/:id.

use super::ProjectView;
use crate::{
    agent_api::selected, answer::Answer, endpoint::Call, problem::Problem, refusals,
    services::Services,
};
use domain::ids::ProjectId;
use std::sync::Arc;

/// Reads one project.
pub async fn read(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let id = ProjectId(call.id.ok_or_else(refusals::no_project)?);
    let project = services
        .read_project
        .run(call.account(), id)
        .await?
        .ok_or_else(refusals::no_project)?;
    call.query.finish()?;
    if call.query.text("fields").is_none() {
        return Ok(Answer::ok(&ProjectView::of(
            &project,
            &call.agent.account.report_defaults,
        )));
    }
    let view = ProjectView::of(&project, &call.agent.account.report_defaults);
    Ok(Answer::value(&selected(&call, &view)?))
}
