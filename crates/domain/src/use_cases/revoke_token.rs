use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint, TokenId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    token::RevokeReason,
};
use std::sync::Arc;

pub struct RevokeToken {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl RevokeToken {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// Ends the token with its next use; `false` when there is none that could be ended.
    pub async fn run(
        &self,
        by: Actor,
        account: AccountId,
        token: TokenId,
    ) -> Result<bool, StorageError> {
        retrying(self.storage.as_ref(), || self.once(by, account, token)).await
    }

    async fn once(
        &self,
        by: Actor,
        account: AccountId,
        token: TokenId,
    ) -> Result<bool, StorageError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        let was_ended = work
            .tokens()
            .revoke(account, token, now, RevokeReason::Owner)
            .await?;
        if was_ended {
            let event = AuditEvent {
                token: Some(token),
                ..AuditEvent::new(&self.mint, account, now, by, AuditAction::TokenRevoked)
            };
            work.audit().record(&event).await?;
        }
        work.commit().await?;
        Ok(was_ended)
    }
}
