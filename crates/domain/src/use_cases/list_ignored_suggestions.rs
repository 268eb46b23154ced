//! Lists the suggestions that the owner of a project does not want to see as open, and why.

use crate::{
    ids::{AccountId, ProjectId},
    owners_words::IgnoredSuggestion,
    ports::storage::{Storage, StorageError},
};
use std::sync::Arc;

/// Lists ignored suggestions.
pub struct ListIgnoredSuggestions {
    storage: Arc<dyn Storage>,
}

impl ListIgnoredSuggestions {
    /// On this storage.
    #[must_use]
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
