//! POST …/reactivate: of a project or a keyword.

use crate::agent_api::{keywords, projects};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::Call;
use crate::problem::Problem;
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::ids::KeywordId;
use serde_json::json;
use std::sync::Arc;

body! {
    /// No members.
    Reactivate {}
}

/// With its keywords and their allowances.
pub async fn project(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    // An unknown project (404) is reported before body errors (422).
    call.project(&services).await?;
    projects::change(services, with_active_status(call)?).await
}

pub async fn keyword(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let id = KeywordId(call.id.ok_or_else(refusals::no_keyword)?);
    let found = services.core.keyword(call.account(), id).await?;
    found.ok_or_else(refusals::no_keyword)?;
    keywords::change(services, with_active_status(call)?).await
}

/// The same as a patch to `active`.
fn with_active_status(mut call: Call) -> Result<Call, Problem> {
    read_body(&call.body, |_: &Reactivate| Some(()))?;
    call.body.insert("status".into(), json!("active"));
    Ok(call)
}
