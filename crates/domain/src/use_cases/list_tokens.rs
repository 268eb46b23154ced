//! Lists an account's API tokens.

use crate::{
    ids::AccountId,
    ports::storage::{Storage, StorageError},
    token::ApiToken,
};
use std::sync::Arc;

/// Lists tokens.
pub struct ListTokens {
    storage: Arc<dyn Storage>,
}

impl ListTokens {
    /// On this storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Newest first.
    pub async fn run(&self, account: AccountId) -> Result<Vec<ApiToken>, StorageError> {
        self.storage.read().await?.tokens().list(account).await
    }
}
