use super::stored::{Stored, row};
use crate::schema::audit_events;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::audit::{ActingPerson, Actor, AuditAction, AuditEvent};
use domain::ids::{AccountId, AuditEventId, TokenId, UserId};
use domain::text::Label;

row! {
    struct AuditRow(audit_events) {
        account_id: AccountId,
        id: AuditEventId,
        at: DateTime<Utc>,
        actor: Actor,
        action: String = action.known_to_first_version().column(),
        subject: Option<TokenId>,
        detail: String,
        actor_id: Option<i64> = person.as_ref().map(|it| it.id.0),
        actor_name: Option<String> = person.as_ref().map(|it| it.name.column()),
        exact_action: Option<String> = exact_action(*action),
    }
    AuditEvent { account: account_id, id, at, actor, person, action, token: subject, detail }
    where {
        action = AuditAction::read(exact_action.unwrap_or(action), "audit action")?;
        person = match actor_id.map(UserId).zip(actor_name) {
            Some((id, name)) => Some(ActingPerson { id, name: Label::read(name, "user name")? }),
            None => None,
        };
    }
}

/// `None` if the column `action` says it already.
fn exact_action(action: AuditAction) -> Option<String> {
    (action.known_to_first_version() != action).then(|| action.column())
}
