use crate::{
    ids::{AccountId, KeywordId},
    keyword::Keyword,
    ports::storage::{Storage, StorageError},
};
use std::sync::Arc;

pub struct ReadKeyword {
    storage: Arc<dyn Storage>,
}

impl ReadKeyword {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// `None` when the account has no such keyword.
    pub async fn run(
        &self,
        account: AccountId,
        keyword: KeywordId,
    ) -> Result<Option<Keyword>, StorageError> {
        self.storage
            .read()
            .await?
            .keywords()
            .find(account, keyword)
            .await
    }
}
