//! Has a property of Search Console fetched no more. What was fetched stays.

use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError, retrying},
};
use std::sync::Arc;

pub struct UnbindConsole {
    storage: Arc<dyn Storage>,
}

impl UnbindConsole {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Whether there was one.
    pub async fn run(&self, account: AccountId, project: ProjectId) -> Result<bool, StorageError> {
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let removed = work.console_bindings().remove(account, project).await?;
            work.commit().await?;
            Ok::<_, StorageError>(removed)
        })
        .await
    }
}
