//! GET /api/projects/:id/results.

use crate::{
    agent_api::results, endpoint::Call, problem::Problem, response::ApiResponse, services::Services,
};
use std::sync::Arc;

/// As for agents, with the project of the path.
pub async fn read(services: Arc<Services>, mut call: Call) -> Result<ApiResponse, Problem> {
    let project = call.id.unwrap_or_default();
    call.query = call.query.with("projectId", project.to_string());
    results::read(services, call).await
}
