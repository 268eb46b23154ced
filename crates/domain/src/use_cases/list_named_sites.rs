use crate::{
    ids::{AccountId, ProjectId},
    owners_words::NamedSite,
    ports::storage::{Storage, StorageError},
};
use std::sync::Arc;

pub struct ListNamedSites {
    storage: Arc<dyn Storage>,
}

impl ListNamedSites {
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
