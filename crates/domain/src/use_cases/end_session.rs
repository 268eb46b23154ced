use super::new_session::{self, Cause};
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

pub struct EndSession {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl EndSession {
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
        retrying(self.storage.as_ref(), || self.once(account, user, session)).await
    }

    pub async fn expire(&self, session: &Session) -> Result<(), StorageError> {
        let over = std::slice::from_ref(session);
        retrying(self.storage.as_ref(), || async {
            let (now, mut work) = (self.clock.now(), self.storage.write().await?);
            new_session::put_away(work.as_mut(), &self.mint, over, Cause::Over, now).await?;
            work.commit().await
        })
        .await
    }

    async fn once(
        &self,
        account: AccountId,
        user: UserId,
        session: SessionId,
    ) -> Result<bool, StorageError> {
        let mut work = self.storage.write().await?;
        if work.sessions().end(account, user, &[session]).await? == 0 {
            return Ok(false);
        }
        let event = AuditEvent {
            detail: format!("session {session}"),
            ..AuditEvent::new(
                &self.mint,
                account,
                self.clock.now(),
                Actor::Owner,
                AuditAction::SessionEnded,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(true)
    }
}
