use super::storage::StorageError;
use crate::email::EmailAddress;
use crate::ids::{AccountId, ProjectId, UserId};
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Stores members of accounts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait MemberRepository: Send {
    /// The person with that e-mail address, as member of the home account.
    async fn find_by_email(&mut self, email: &EmailAddress) -> Result<Option<User>, StorageError>;
    /// Also members who left.
    async fn find(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Option<User>, StorageError>;
    /// All members, those who left included, oldest first.
    async fn list(&mut self, account: AccountId) -> Result<Vec<User>, StorageError>;
    /// Adds a person with this home account. `Conflict` if the e-mail address is taken.
    async fn add(&mut self, user: &User) -> Result<(), StorageError>;
    /// Adds a person with that home account, or one who left.
    async fn join(&mut self, user: &User, home: AccountId) -> Result<(), StorageError>;
    /// Saves name and address; in the home account, the address is the one to sign in with. `Conflict` if another person
    /// has it.
    async fn save_profile(&mut self, user: &User) -> Result<(), StorageError>;
    /// Saves role and when the member left.
    async fn save_membership(&mut self, user: &User) -> Result<(), StorageError>;
    /// Accounts that the person joined besides the home account, those left included, in order of their ids.
    async fn joined_accounts(
        &mut self,
        home: AccountId,
        person: UserId,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// Makes the account of `to` the home account of the person: name, address, password and the list of joined accounts
    /// go along. `to` is the person as member there.
    async fn move_home(&mut self, from: &User, to: &User) -> Result<(), StorageError>;
    async fn granted_projects(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<BTreeSet<ProjectId>, StorageError>;
    /// Of all members, in order.
    async fn grants(
        &mut self,
        account: AccountId,
    ) -> Result<Vec<(UserId, ProjectId)>, StorageError>;
    /// Replaces all grants of the member.
    async fn set_granted_projects(
        &mut self,
        user: &User,
        projects: &BTreeSet<ProjectId>,
        by: UserId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Since when the person is an operator.
    async fn operator_since(
        &mut self,
        home: AccountId,
        person: UserId,
    ) -> Result<Option<DateTime<Utc>>, StorageError>;
    /// `None` takes the mark away; returns whether anything changed.
    async fn set_operator(
        &mut self,
        home: AccountId,
        person: UserId,
        since: Option<DateTime<Utc>>,
    ) -> Result<bool, StorageError>;
}
