use super::stored::row;
use crate::schema::audit_events;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::audit::{Actor, AuditAction, AuditEvent};
use domain::ids::{AccountId, AuditEventId, TokenId};

row! {
    struct AuditRow(audit_events) {
        account_id: AccountId,
        id: AuditEventId,
        at: DateTime<Utc>,
        actor: Actor,
        action: AuditAction ["audit action"],
        subject: Option<TokenId>,
        detail: String,
    }
    AuditEvent { account: account_id, id, at, actor, action, token: subject, detail }
}
