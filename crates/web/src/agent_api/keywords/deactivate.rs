//! DELETE /keywords/:id: deactivates.

use super::{KeywordView, change::refused};
use crate::{
    endpoint::Call, problem::Problem, refusals, response::ApiResponse, services::Services,
};
use domain::ids::KeywordId;
use std::sync::Arc;

/// Idempotent.
pub async fn deactivate(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let id = KeywordId(call.id.ok_or_else(refusals::no_keyword)?);
    call.query.finish()?;
    let keyword = services
        .core
        .deactivate_keyword(call.account(), id, Some(&call.expects(KeywordView::of)))
        .await
        .map_err(refused)?;
    Ok(ApiResponse::resource(&KeywordView::of(&keyword)))
}
