//! Ends a session.

use super::new_session::told;
use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint, SessionId, UserId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    session::Session,
};
use std::sync::Arc;

/// Ends sessions one by one.
pub struct EndSession {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl EndSession {
    /// On this storage, clock and mint.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// Ends a session of that person; `false` when there is no such session of theirs.
    pub async fn run(
        &self,
        account: AccountId,
        user: UserId,
        session: SessionId,
    ) -> Result<bool, StorageError> {
        let told = format!("session {session}");
        let action = AuditAction::SessionEnded;
        retrying(|| self.once((account, user, session), Actor::Owner, action, &told)).await
    }

    /// Puts away a session that is over.
    pub async fn expire(&self, session: &Session) -> Result<bool, StorageError> {
        let of = (session.account, session.user, session.id);
        let (action, told) = (AuditAction::SessionExpired, told(session));
        retrying(|| self.once(of, Actor::Service, action, &told)).await
    }

    async fn once(
        &self,
        (account, user, session): (AccountId, UserId, SessionId),
        by: Actor,
        action: AuditAction,
        detail: &str,
    ) -> Result<bool, StorageError> {
        let mut work = self.storage.write().await?;
        if work.sessions().end(account, user, &[session]).await? == 0 {
            return Ok(false);
        }
        let event = AuditEvent {
            detail: detail.to_owned(),
            ..AuditEvent::new(&self.mint, account, self.clock.now(), by, action)
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(true)
    }
}
