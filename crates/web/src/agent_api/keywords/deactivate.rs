//! DELETE /keywords/:id: deactivates.

use super::{KeywordView, change::refused};
use crate::{answer::Answer, endpoint::Call, problem::Problem, refusals, services::Services};
use domain::ids::KeywordId;
use std::sync::Arc;

/// Idempotent.
pub async fn deactivate(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let id = KeywordId(call.id.ok_or_else(refusals::no_keyword)?);
    call.query.finish()?;
    let keyword = services
        .core
        .deactivate_keyword(call.account(), id, Some(&call.expects(KeywordView::of)))
        .await
        .map_err(refused)?;
    Ok(Answer::resource(&KeywordView::of(&keyword)))
}
