use super::storage::StorageError;
use crate::ids::{AccountId, JobId, ProjectId};
use crate::kept_pages::{KeptPage, StagedPage, Validators};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores pages as last read. Staged pages become visible when the job's results are published
/// ([`ResultRepository::publish`](super::results::ResultRepository::publish)).
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PageRepository: Send {
    /// Stages pages; replaces what the job staged for the same pages.
    async fn stage(
        &mut self,
        account: AccountId,
        job: JobId,
        pages: &[StagedPage],
    ) -> Result<(), StorageError>;
    /// Stored pages among these, unordered.
    async fn find_by_urls(
        &mut self,
        account: AccountId,
        project: ProjectId,
        urls: &[String],
    ) -> Result<Vec<KeptPage>, StorageError>;
    /// Validators of these pages, where the server sent any.
    async fn validators(
        &mut self,
        account: AccountId,
        project: ProjectId,
        urls: &[String],
    ) -> Result<Vec<(String, Validators)>, StorageError>;
    /// Stored URLs after the given one, in a stable order.
    async fn urls(
        &mut self,
        account: AccountId,
        project: ProjectId,
        behind: Option<String>,
        limit: u32,
    ) -> Result<Vec<String>, StorageError>;
    /// Deletes up to `limit` pages last visited before that time; returns how many.
    async fn purge_before(
        &mut self,
        account: AccountId,
        project: ProjectId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
