//! DELETE /projects/:id: deactivates.

use super::ProjectView;
use super::change::{expected, refused};
use crate::{endpoint::Call, problem::Problem, response::ApiResponse, services::Services};
use std::sync::Arc;

/// Idempotent. The response contains `purgeAt`.
pub async fn deactivate(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let id = call.project_id()?;
    call.query.finish()?;
    let term = services.purge_term();
    let project = services
        .core
        .deactivate_project(call.account(), id, Some(&expected(&call, term)))
        .await
        .map_err(|error| refused(error, &call, term))?;
    let defaults = &call.tenant().report_defaults;
    Ok(ApiResponse::resource(&ProjectView::of(
        &project, defaults, term,
    )))
}
