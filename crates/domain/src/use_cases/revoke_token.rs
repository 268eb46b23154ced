//! Revokes an API token.

use crate::{
    ids::{AccountId, TokenId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

/// Revokes tokens.
pub struct RevokeToken {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

impl RevokeToken {
    /// On this storage and clock.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Ends the token with its next use; `false` when there is none that could be ended.
    pub async fn run(&self, account: AccountId, token: TokenId) -> Result<bool, StorageError> {
        let mut work = self.storage.write().await?;
        let ended = work
            .tokens()
            .revoke(account, token, self.clock.now())
            .await?;
        work.commit().await?;
        Ok(ended)
    }
}
