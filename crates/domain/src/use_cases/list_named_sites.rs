//! Lists the sites that the owner of a project has named.

use crate::{
    ids::{AccountId, ProjectId},
    owners_words::NamedSite,
    ports::storage::{Storage, StorageError},
};
use std::sync::Arc;

/// Lists named sites.
pub struct ListNamedSites {
    storage: Arc<dyn Storage>,
}

impl ListNamedSites {
    /// On this storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// In the order of their domains.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<NamedSite>, StorageError> {
        let mut read = self.storage.read().await?;
        read.owners_words().named_sites(account, project).await
    }
}
