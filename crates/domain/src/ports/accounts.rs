use super::storage::StorageError;
use crate::account::{Account, AccountUsage};
use crate::ids::AccountId;
use crate::user::User;
use async_trait::async_trait;

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AccountRepository: Send {
    /// Adds an account with its owner. `Conflict` if the e-mail address is taken.
    async fn add(&mut self, account: &Account, owner: &User) -> Result<(), StorageError>;
    async fn find(&mut self, account: AccountId) -> Result<Option<Account>, StorageError>;
    /// Locks one account until the transaction ends. Lock it before changing anything that its usage counts.
    async fn lock(&mut self, account: AccountId) -> Result<Option<Account>, StorageError>;
    /// Whether there is any person, in any account.
    async fn any(&mut self) -> Result<bool, StorageError>;
    /// Saves name, status, limits and report defaults, but not the usage.
    async fn save(&mut self, account: &Account) -> Result<(), StorageError>;
    async fn save_usage(
        &mut self,
        account: AccountId,
        usage: AccountUsage,
    ) -> Result<(), StorageError>;
    /// Number of active accounts with neither a monthly nor a daily budget. For the operator.
    async fn count_without_budget(&mut self) -> Result<u64, StorageError>;
    /// All accounts with their members, those who left included, oldest first. For the operator.
    async fn list(&mut self) -> Result<Vec<(Account, Vec<User>)>, StorageError>;
}
