use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::search_console::Binding;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores bindings; a project has at most one.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ConsoleBindingRepository: Send {
    /// Sets a binding, replacing the project's earlier one.
    async fn set(&mut self, binding: &Binding) -> Result<(), StorageError>;
    /// Returns whether one existed.
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
    /// Accounts with due bindings, longest waiting first.
    async fn accounts_due(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// The account's due bindings, longest waiting first.
    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Binding>, StorageError>;
    /// Replaces `before` with `after`; `false` if the binding changed meanwhile.
    async fn advance(&mut self, before: &Binding, after: &Binding) -> Result<bool, StorageError>;
}
