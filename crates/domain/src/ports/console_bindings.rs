use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::search_console::Binding;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Remembers bindings; a project has one at most.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ConsoleBindingRepository: Send {
    /// Puts a binding in the place of the one that the project has.
    async fn set(&mut self, binding: &Binding) -> Result<(), StorageError>;
    /// Whether there was one to remove.
    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<bool, StorageError>;
    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Binding>, StorageError>;
    /// Accounts that have something due, those that have waited longest first.
    async fn accounts_due(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// What is due of an account, what has waited longest first.
    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Binding>, StorageError>;
    /// Replaces `before` by `after`; `false` when the binding was changed meanwhile.
    async fn advance(&mut self, before: &Binding, after: &Binding) -> Result<bool, StorageError>;
}
