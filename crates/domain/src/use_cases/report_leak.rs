use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::IdMint,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    token::{PlainToken, RevokeReason, TokenHash},
};
use std::sync::Arc;

/// Holding a token's text is enough to end it: whoever holds it could do worse.
pub struct ReportLeak {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl ReportLeak {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// Whether there was such a token is not told: the report is taken either way.
    pub async fn run(&self, text: &str) -> Result<(), StorageError> {
        let Ok(token) = PlainToken::parse(text) else {
            return Ok(());
        };
        retrying(self.storage.as_ref(), || self.once(token.hash())).await
    }

    async fn once(&self, hash: TokenHash) -> Result<(), StorageError> {
        let known = self
            .storage
            .read()
            .await?
            .tokens()
            .find_by_hash(hash)
            .await?;
        let Some(known) = known else {
            return Ok(());
        };
        let (account, token, now) = (known.token.account, known.token.id, self.clock.now());
        let mut work = self.storage.write().await?;
        let was_ended = work
            .tokens()
            .revoke(account, token, now, RevokeReason::Leaked)
            .await?;
        if was_ended {
            let event = AuditEvent {
                token: Some(token),
                detail: format!(
                    "{}, ending with {}",
                    known.token.name, known.token.last_four
                ),
                ..AuditEvent::new(
                    &self.mint,
                    account,
                    now,
                    Actor::Finder,
                    AuditAction::TokenLeaked,
                )
            };
            work.audit().record(&event).await?;
        }
        work.commit().await
    }
}
