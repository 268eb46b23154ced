use super::storage::StorageError;
use crate::account::Account;
use crate::email::EmailAddress;
use crate::ids::{AccountId, UserId};
use crate::password::{HashCost, PasswordHash};
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// What decides whether somebody may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub account: Account,
    pub user: User,
    /// The hash of the password; `None` while none was set.
    pub password: Option<PasswordHash>,
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PasswordRepository: Send {
    /// Everything about the person with that address. One indexed read.
    async fn credentials(
        &mut self,
        email: &EmailAddress,
    ) -> Result<Option<Credentials>, StorageError>;
    /// Marks issued since then count: when the password was set or, later, [`Self::withdraw_devices`] called; `None`
    /// while no password was set.
    async fn devices_from(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Option<DateTime<Utc>>, StorageError>;
    /// Marks of the person's devices that were issued before that moment count no more.
    async fn withdraw_devices(
        &mut self,
        account: AccountId,
        user: UserId,
        before: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// What hashes of up to `most` people cost to compare, whoever they are.
    async fn costs(&mut self, most: u32) -> Result<Vec<HashCost>, StorageError>;
    /// The person's hash, kept from other writers until the transaction ends.
    async fn lock(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Option<PasswordHash>, StorageError>;
    async fn set(
        &mut self,
        account: AccountId,
        user: UserId,
        hash: &PasswordHash,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
}
