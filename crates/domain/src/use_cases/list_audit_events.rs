use crate::{
    audit::{AuditAction, AuditEvent},
    ids::AccountId,
    ports::storage::{Storage, StorageError},
};
use chrono::{DateTime, Utc};
use std::sync::Arc;

pub struct ListAuditEvents {
    storage: Arc<dyn Storage>,
}

impl ListAuditEvents {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// The newest, newest first.
    pub async fn run(
        &self,
        account: AccountId,
        most: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        let mut read = self.storage.read().await?;
        read.audit().newest(account, most).await
    }

    /// The newest of some kinds before a moment, newest first.
    pub async fn before(
        &self,
        account: AccountId,
        actions: &[AuditAction],
        before: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        let mut read = self.storage.read().await?;
        { read.audit() }
            .newest_of(account, actions, before, most)
            .await
    }
}
