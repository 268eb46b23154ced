use crate::{
    ids::{AccountId, SessionId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct NoteSessionUse {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

impl NoteSessionUse {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Called off the request's path, for uses that are news.
    pub async fn run(&self, account: AccountId, session: SessionId) -> Result<(), StorageError> {
        let mut work = self.storage.write().await?;
        let now = self.clock.now();
        work.sessions().note_use(account, session, now).await?;
        work.commit().await
    }
}
