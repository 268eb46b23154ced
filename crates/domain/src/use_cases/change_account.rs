//! Changes an account's limits or switches it on and off, for the operator.

use crate::{
    account::{Account, AccountLimits, AccountStatus},
    ids::AccountId,
    ports::storage::{Storage, StorageError, Transaction, retrying},
};
use std::sync::Arc;

/// Changes accounts.
pub struct ChangeAccount {
    storage: Arc<dyn Storage>,
}

impl ChangeAccount {
    /// On this storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Sets the limits. What is there already stays, even above a lower limit.
    pub async fn limit(
        &self,
        account: AccountId,
        limits: AccountLimits,
    ) -> Result<Option<Account>, StorageError> {
        retrying(|| self.change(account, move |it| Account { limits, ..it })).await
    }

    /// Switches the account on or off: off, its tokens open nothing.
    pub async fn switch(
        &self,
        account: AccountId,
        status: AccountStatus,
    ) -> Result<Option<Account>, StorageError> {
        retrying(|| self.change(account, move |it| Account { status, ..it })).await
    }

    async fn change(
        &self,
        account: AccountId,
        change: impl FnOnce(Account) -> Account + Send,
    ) -> Result<Option<Account>, StorageError> {
        let mut work = self.storage.write().await?;
        let Some(found) = work.accounts().lock(account).await? else {
            return Ok(None);
        };
        let changed = change(found);
        save(work, &changed).await?;
        Ok(Some(changed))
    }
}

async fn save(mut work: Box<dyn Transaction>, account: &Account) -> Result<(), StorageError> {
    work.accounts().save(account).await?;
    work.commit().await
}
