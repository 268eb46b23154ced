use crate::{
    ids::{AccountId, UserId},
    keyword_research::SearchLine,
    page::{Page, PageRequest},
    ports::{
        research::SearchSort,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct ListSearches {
    storage: Arc<dyn Storage>,
}

impl ListSearches {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    pub async fn run(
        &self,
        account: AccountId,
        user: UserId,
        page: &PageRequest<SearchSort>,
    ) -> Result<Page<SearchLine>, StorageError> {
        let mut read = self.storage.read().await?;
        read.research().searches(account, user, page).await
    }
}
