//! GET /api/settings/audit-log.

use super::sign_in::not_kept;
use crate::{
    answer::Answer, endpoint::MemberCall, paging::Limits, problem::Problem, services::Services,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// How many events are told.
pub const LIST_LIMITS: Limits = Limits {
    default: 100,
    most: 500,
};

/// The newest of what was done to the account, its tokens and sessions, newest first.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<Answer, Problem> {
    let most = call.query.number("limit", &(1..=LIST_LIMITS.most));
    call.query.finish()?;
    let most = most.unwrap_or(LIST_LIMITS.default);
    let events = services
        .list_audit_events
        .run(call.member.account.id, most)
        .await?;
    let items: Vec<Value> = events
        .iter()
        .map(|it| {
            json!({
                "id": it.id.0,
                "at": it.at,
                "actor": it.actor.name(),
                "action": it.action.name(),
                "tokenId": it.token.map(|token| token.0),
                "detail": it.detail,
            })
        })
        .collect();
    let body = json!({ "items": items, "nextCursor": null, "limit": most });
    Ok(not_kept(Answer::value(&body)))
}
