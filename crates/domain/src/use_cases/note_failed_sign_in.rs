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

pub struct NoteFailedSignIn {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl NoteFailedSignIn {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// Called off the request's path: whoever probes for addresses must not notice the write.
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
