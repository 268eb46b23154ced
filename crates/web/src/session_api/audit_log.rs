//! GET /api/settings/audit-log.

use super::sign_in::not_kept;
use crate::answer::Answer;
use crate::contract::{Number, Time, query, words};
use crate::endpoint::MemberCall;
use crate::paging::Limits;
use crate::problem::Problem;
use crate::services::Services;
use chrono::TimeDelta;
use domain::audit::AuditAction;
use serde_json::{Value, json};
use std::sync::Arc;

const LIST_LIMITS: Limits = Limits {
    default: 100,
    most: 500,
};

query! {
    pub(crate) ReadAuditLog {
        limit: Number<1, { LIST_LIMITS.most }> = optional "limit", "How many events.";
        action: AuditAction = optional "action", "Events of this kind alone.";
        before: Time = optional "before", "Events before this moment alone: `at` of the last one goes on with the log.";
    }
}
words!(AuditAction);

/// Newest first, optionally of one action and before a time.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<Answer, Problem> {
    let asked = ReadAuditLog(&call.query);
    let (most, action, before) = (asked.limit(), asked.action(), asked.before());
    call.query.finish()?;
    let (account, core) = (call.member.account.id, &services.core);
    let most = most.unwrap_or(LIST_LIMITS.default);
    let events = if action.is_none() && before.is_none() {
        core.audit_events(account, most).await?
    } else {
        let actions = action.map_or_else(|| AuditAction::ALL.to_vec(), |it| vec![it]);
        // Tolerates clock differences between servers.
        let before = before.unwrap_or_else(|| services.core.clock.now() + TimeDelta::days(1));
        core.audit_events_before(account, &actions, before, most)
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
    let body = json!({ "items": items, "nextCursor": null, "limit": most });
    Ok(not_kept(Answer::value(&body)))
}
