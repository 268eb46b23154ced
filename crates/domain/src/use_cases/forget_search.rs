use crate::{
    ids::{AccountId, SearchId, UserId},
    ports::storage::{Storage, StorageError, retrying},
};
use std::sync::Arc;

/// Forgets searches. What was bought stays in the cache, which tells nobody who asked.
pub struct ForgetSearch {
    storage: Arc<dyn Storage>,
}

impl ForgetSearch {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Says whether the person had it.
    pub async fn run(
        &self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Result<bool, StorageError> {
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let was_there = work.research().forget(account, user, search).await?;
            work.commit().await?;
            Ok(was_there)
        })
        .await
    }
}
