use crate::{
    ids::{AccountId, TokenId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct NoteTokenUse {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

impl NoteTokenUse {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Called off the request's path, for uses that are news.
    pub async fn run(&self, account: AccountId, token: TokenId) -> Result<(), StorageError> {
        let mut work = self.storage.write().await?;
        work.tokens()
            .note_use(account, token, self.clock.now())
            .await?;
        work.commit().await
    }
}
