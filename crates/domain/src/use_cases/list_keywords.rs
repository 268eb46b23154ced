use crate::{
    ids::{AccountId, ProjectId},
    keyword::Keyword,
    page::{Page, PageRequest},
    ports::{
        keywords::{KeywordFilter, KeywordSort},
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct ListKeywords {
    storage: Arc<dyn Storage>,
}

impl ListKeywords {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// One page; `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        filter: &KeywordFilter,
        page: &PageRequest<KeywordSort>,
    ) -> Result<Option<Page<Keyword>>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        read.keywords()
            .list(account, project, filter, page)
            .await
            .map(Some)
    }
}
