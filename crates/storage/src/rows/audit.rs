use super::known;
use crate::{instant::At, schema::audit_events};
use diesel::prelude::*;
use domain::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, AuditEventId, TokenId},
    ports::storage::StorageError,
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = audit_events, treat_none_as_default_value = false)]
pub struct AuditRow {
    account_id: i64,
    id: i64,
    at: At,
    actor: String,
    action: String,
    subject: Option<i64>,
    detail: String,
}

impl From<&AuditEvent> for AuditRow {
    fn from(event: &AuditEvent) -> Self {
        Self {
            account_id: event.account.0,
            id: event.id.0,
            at: event.at.into(),
            actor: event.actor.name().to_owned(),
            action: event.action.name().to_owned(),
            subject: event.token.map(|it| it.0),
            detail: event.detail.clone(),
        }
    }
}

impl TryFrom<AuditRow> for AuditEvent {
    type Error = StorageError;

    fn try_from(row: AuditRow) -> Result<Self, StorageError> {
        Ok(Self {
            account: AccountId(row.account_id),
            id: AuditEventId(row.id),
            at: row.at.into(),
            actor: known(Actor::named(&row.actor), "actor")?,
            action: known(AuditAction::named(&row.action), "audit action")?,
            token: row.subject.map(TokenId),
            detail: row.detail,
        })
    }
}
