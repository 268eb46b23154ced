//! Ends all sessions of a person, or all but the one in use.

use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint, SessionId, UserId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
};
use std::sync::Arc;

/// Ends sessions together.
pub struct EndSessions {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl EndSessions {
    /// On this storage, clock and mint.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// How many were ended; all of them when none is to stay.
    pub async fn run(
        &self,
        account: AccountId,
        user: UserId,
        but: Option<SessionId>,
    ) -> Result<u64, StorageError> {
        retrying(self.storage.as_ref(), || self.once(account, user, but)).await
    }

    async fn once(
        &self,
        account: AccountId,
        user: UserId,
        but: Option<SessionId>,
    ) -> Result<u64, StorageError> {
        let mut work = self.storage.write().await?;
        let ended = work.sessions().end_all(account, user, but).await?;
        if ended == 0 {
            return Ok(0);
        }
        let kept = but.map_or_else(String::new, |it| format!("; session {it} stays"));
        let event = AuditEvent {
            detail: format!("{ended} sessions{kept}"),
            ..AuditEvent::new(
                &self.mint,
                account,
                self.clock.now(),
                Actor::Owner,
                AuditAction::SessionsEnded,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(ended)
    }
}
