//! Revokes all tokens of an account, in the transaction of what is the reason for it.

use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint},
    ports::storage::{StorageError, Transaction},
    token::RevokeReason,
};
use chrono::{DateTime, Utc};

/// How many tokens were revoked; each is in the audit log, with what was the reason.
pub(super) async fn revoke_all(
    work: &mut dyn Transaction,
    mint: &IdMint,
    account: AccountId,
    by: Actor,
    reason: &str,
    now: DateTime<Utc>,
) -> Result<u64, StorageError> {
    let tokens = work.tokens();
    let ended = tokens.revoke_all(account, now, RevokeReason::Owner).await?;
    let event = |token| AuditEvent {
        token: Some(token),
        detail: reason.to_owned(),
        ..AuditEvent::new(mint, account, now, by, AuditAction::TokenRevoked)
    };
    let events: Vec<AuditEvent> = ended.into_iter().map(event).collect();
    if !events.is_empty() {
        work.audit().record_all(&events).await?;
    }
    Ok(events.len() as u64)
}
