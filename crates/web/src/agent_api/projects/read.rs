//! GET /projects/:id.

use super::ProjectView;
use crate::agent_api::select_fields;
use crate::endpoint::Call;
use crate::http::entity_tag::EntityTag;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::selection::{PROJECT_FIELDS, Selection};
use crate::services::Services;
use std::sync::Arc;

pub async fn read(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?;
    let fields = Selection::read(&call.query, &PROJECT_FIELDS);
    call.query.finish()?;
    let view = ProjectView::of(
        &project,
        &call.tenant().report_defaults,
        services.purge_term(),
    );
    if fields.is_none() {
        return Ok(ApiResponse::resource(&view));
    }
    // A partial response has the tag of the whole resource, so that `If-Match` accepts it.
    Ok(ApiResponse::value(&select_fields(&view, fields.as_ref())).with_etag(EntityTag::of(&view)))
}
