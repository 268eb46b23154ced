use super::revoke_tokens::revoke_all;
use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint, SessionId, UserId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
};
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedAccess {
    pub sessions: u64,
    pub tokens: u64,
}

pub struct EndSessions {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl EndSessions {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// All of them when `but` is `None`. Marks of the person's devices end with them.
    pub async fn run(
        &self,
        account: AccountId,
        user: UserId,
        but: Option<SessionId>,
        revokes_tokens: bool,
    ) -> Result<EndedAccess, StorageError> {
        retrying(self.storage.as_ref(), || {
            self.once(account, user, but, revokes_tokens)
        })
        .await
    }

    async fn once(
        &self,
        account: AccountId,
        user: UserId,
        but: Option<SessionId>,
        revokes_tokens: bool,
    ) -> Result<EndedAccess, StorageError> {
        let (by, now) = (Actor::Owner, self.clock.now());
        let mut work = self.storage.write().await?;
        let sessions = work.sessions().end_all(account, user, but).await?;
        work.passwords()
            .withdraw_devices(account, user, now)
            .await?;
        if sessions > 0 {
            let kept = but.map_or_else(String::new, |it| format!("; session {it} stays"));
            let event = AuditEvent {
                detail: format!("{sessions} sessions{kept}"),
                ..AuditEvent::new(&self.mint, account, now, by, AuditAction::SessionsEnded)
            };
            work.audit().record(&event).await?;
        }
        let tokens = if revokes_tokens {
            let reason = "with all sessions";
            revoke_all(work.as_mut(), &self.mint, account, by, reason, now).await?
        } else {
            0
        };
        work.commit().await?;
        Ok(EndedAccess { sessions, tokens })
    }
}
