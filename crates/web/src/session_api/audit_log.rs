//! GET /api/settings/audit-log.

use super::sign_in::no_store;
use crate::contract::{Number, Time, query, string_enums};
use crate::endpoint::MemberCall;
use crate::paging::PageLimits;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::services::Services;
use chrono::TimeDelta;
use domain::audit::AuditAction;
use serde_json::{Value, json};
use std::sync::Arc;

const LIST_LIMITS: PageLimits = PageLimits {
    default: 100,
    max: 500,
};

query! {
    pub(crate) ReadAuditLog {
        limit: Number<1, { LIST_LIMITS.max }> = optional "limit", "How many events.";
        action: AuditAction = optional "action", "Events of this kind alone.";
        before: Time = optional "before", "Events before this moment alone: `at` of the last one continues the log.";
    }
}
string_enums!(AuditAction);

/// Newest first, optionally of one action and before a time.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let parameters = ReadAuditLog(&call.query);
    let (limit, action, before) = (parameters.limit(), parameters.action(), parameters.before());
    call.query.finish()?;
    let (account, core) = (call.member.account.id, &services.core);
    let limit = limit.unwrap_or(LIST_LIMITS.default);
    let events = if action.is_none() && before.is_none() {
        core.audit_events(account, limit).await?
    } else {
        let actions = action.map_or_else(|| AuditAction::ALL.to_vec(), |it| vec![it]);
        // Tolerates clock differences between servers.
        let before = before.unwrap_or_else(|| services.core.clock.now() + TimeDelta::days(1));
        core.audit_events_before(account, &actions, before, limit)
            .await?
    };
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
    let body = json!({ "items": items, "nextCursor": null, "limit": limit });
    Ok(no_store(ApiResponse::value(&body)))
}
