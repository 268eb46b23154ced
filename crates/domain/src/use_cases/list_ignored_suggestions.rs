use crate::{
    ids::{AccountId, ProjectId},
    owners_words::IgnoredSuggestion,
    ports::storage::{Storage, StorageError},
};
use std::sync::Arc;

pub struct ListIgnoredSuggestions {
    storage: Arc<dyn Storage>,
}

impl ListIgnoredSuggestions {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// In the order of their ids.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<IgnoredSuggestion>, StorageError> {
        let mut read = self.storage.read().await?;
        read.owners_words().ignored(account, project).await
    }
}
