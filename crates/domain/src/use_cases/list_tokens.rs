use crate::{
    ids::AccountId,
    ports::storage::{Storage, StorageError},
    token::{ApiToken, TokenPolicy},
};
use std::sync::Arc;

pub struct ListTokens {
    storage: Arc<dyn Storage>,
    policy: TokenPolicy,
}

impl ListTokens {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self {
            storage,
            policy: TokenPolicy::default(),
        }
    }

    #[must_use]
    pub fn under(self, policy: TokenPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Newest first.
    pub async fn run(&self, account: AccountId) -> Result<Vec<ApiToken>, StorageError> {
        let tokens = self.storage.read().await?.tokens().list(account).await?;
        Ok(tokens
            .into_iter()
            .map(|it| self.policy.applied(it))
            .collect())
    }
}
