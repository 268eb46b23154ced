use crate::{
    ids::{AccountId, UserId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
    session::Session,
};
use std::sync::Arc;

pub struct ListSessions {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

impl ListSessions {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Those that open something, the one used last first.
    pub async fn run(
        &self,
        account: AccountId,
        user: UserId,
    ) -> Result<Vec<Session>, StorageError> {
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let mut sessions = read.sessions().list(account, user).await?;
        sessions.retain(|it| it.accept(now).is_ok());
        Ok(sessions)
    }
}
