use crate::{
    account::Account,
    email::EmailAddress,
    ports::storage::{Storage, StorageError},
    user::User,
};
use std::sync::Arc;

pub struct ListAccounts {
    storage: Arc<dyn Storage>,
}

impl ListAccounts {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// All accounts with their owners, oldest first.
    pub async fn run(&self) -> Result<Vec<(Account, User)>, StorageError> {
        self.storage.read().await?.accounts().list().await
    }

    /// How many active accounts have neither a monthly nor a daily budget.
    pub async fn without_budget(&self) -> Result<u64, StorageError> {
        self.storage.read().await?.accounts().without_budget().await
    }

    pub async fn owner(&self, email: &EmailAddress) -> Result<Option<User>, StorageError> {
        self.storage
            .read()
            .await?
            .accounts()
            .owner_by_email(email)
            .await
    }
}
