use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError, retrying},
};
use std::sync::Arc;

pub struct TakeUpSuggestion {
    storage: Arc<dyn Storage>,
}

impl TakeUpSuggestion {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Whether it was ignored.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        id: &str,
    ) -> Result<bool, StorageError> {
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let was_ignored = work.owners_words().take_up(account, project, id).await?;
            work.commit().await?;
            Ok(was_ignored)
        })
        .await
    }
}
