use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::stored_data::StoredData;
use async_trait::async_trait;

/// Counts what is stored. The repositories of keywords, Search Console rows and content plans update
/// the counts in the transaction of each change. Reading costs as much as the account has projects.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait StoredDataRepository: Send {
    /// Sum over all projects of the account, deactivated ones included.
    async fn of_account(&mut self, account: AccountId) -> Result<StoredData, StorageError>;
    async fn of_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<StoredData, StorageError>;
    /// Recounts a batch of the account's projects after the given one; returns the last of them, `None`
    /// at the end. Needed because an older version that does not count may run at the same time.
    async fn recount(
        &mut self,
        account: AccountId,
        after: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError>;
}
