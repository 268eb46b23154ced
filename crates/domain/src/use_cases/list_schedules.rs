use crate::{
    ids::AccountId,
    ports::storage::{Storage, StorageError},
    schedule::Schedule,
};
use std::sync::Arc;

pub struct ListSchedules {
    storage: Arc<dyn Storage>,
}

impl ListSchedules {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// The account's, in the order of projects and kinds.
    pub async fn run(&self, account: AccountId) -> Result<Vec<Schedule>, StorageError> {
        self.storage.read().await?.schedules().list(account).await
    }
}
