use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::stored_data::StoredData;
use async_trait::async_trait;

/// Counts what is stored, in the transaction of each change: whoever adds or removes keywords, rows of
/// Search Console or content plans through their repositories has them counted. Reading costs as much
/// as the account has projects.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait StoredDataRepository: Send {
    /// All projects of the account together, deactivated ones included.
    async fn of_account(&mut self, account: AccountId) -> Result<StoredData, StorageError>;
    async fn of_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<StoredData, StorageError>;
    /// Counts some of the account's projects anew, behind that one; the last of them, `None` at the
    /// end. A version that does not count may have written beside this one.
    async fn recount(
        &mut self,
        account: AccountId,
        after: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError>;
}
