use super::storage::StorageError;
use crate::account::Account;
use crate::email::EmailAddress;
use crate::ids::{AccountId, UserId};
use crate::password::{HashCost, PasswordHash};
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Everything that decides whether a user may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The home account.
    pub account: Account,
    /// As member of the home account.
    pub user: User,
    /// The password hash; `None` if none was set.
    pub password: Option<PasswordHash>,
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PasswordRepository: Send {
    /// Credentials by e-mail address. One indexed read.
    async fn credentials(
        &mut self,
        email: &EmailAddress,
    ) -> Result<Option<Credentials>, StorageError>;
    /// Device cookies issued since then are valid: since the password was set or, later,
    /// [`Self::revoke_devices`] was called. `None` if no password was set.
    async fn devices_valid_from(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Option<DateTime<Utc>>, StorageError>;
    /// Invalidates the user's device cookies issued before that time.
    async fn revoke_devices(
        &mut self,
        account: AccountId,
        user: UserId,
        before: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Verification costs of up to `limit` stored hashes of any account.
    async fn costs(&mut self, limit: u32) -> Result<Vec<HashCost>, StorageError>;
    /// The user's hash, locked until the transaction ends.
    async fn lock(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Option<PasswordHash>, StorageError>;
    /// `user` is a member of the home account.
    async fn set(
        &mut self,
        user: &User,
        hash: &PasswordHash,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
}
