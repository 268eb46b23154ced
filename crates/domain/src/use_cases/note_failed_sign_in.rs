//! Notes that somebody tried to sign in and did not.

use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
    throttle::AddressPrefix,
};
use std::sync::Arc;

/// Notes failures.
pub struct NoteFailedSignIn {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl NoteFailedSignIn {
    /// On this storage, clock and mint.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// Called off the request's path: that something is written down must not be felt by whoever
    /// tries out which addresses there are.
    pub async fn run(&self, account: AccountId, from: AddressPrefix) -> Result<(), StorageError> {
        let event = AuditEvent {
            detail: format!("from {from}"),
            ..AuditEvent::new(
                &self.mint,
                account,
                self.clock.now(),
                Actor::Stranger,
                AuditAction::SessionRefused,
            )
        };
        let mut work = self.storage.write().await?;
        work.audit().record(&event).await?;
        work.commit().await
    }
}
