//! GET /projects/:id.

use super::ProjectView;
use crate::agent_api::selected;
use crate::answer::Answer;
use crate::endpoint::Call;
use crate::http::entity_tag::EntityTag;
use crate::problem::Problem;
use crate::selection::{PROJECT, Selection};
use crate::services::Services;
use std::sync::Arc;

pub async fn read(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let project = call.project(&services).await?;
    let fields = Selection::read(&call.query, &PROJECT);
    call.query.finish()?;
    let view = ProjectView::of(
        &project,
        &call.tenant().report_defaults,
        services.purge_term(),
    );
    if fields.is_none() {
        return Ok(Answer::resource(&view));
    }
    // A partial response has the tag of the whole resource, so that `If-Match` accepts it.
    Ok(Answer::value(&selected(&view, fields.as_ref())).tagged(EntityTag::of(&view)))
}
