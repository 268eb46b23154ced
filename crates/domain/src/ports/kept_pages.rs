use super::storage::StorageError;
use crate::ids::{AccountId, JobId, ProjectId};
use crate::kept_pages::{KeptPage, StagedPage, Validators};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Remembers pages as they were last read. What a job stages becomes visible when its results are
/// published ([`ResultRepository::publish`](super::results::ResultRepository::publish)).
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PageRepository: Send {
    /// Puts pages on their way; what the job staged of the same page before is replaced.
    async fn stage(
        &mut self,
        account: AccountId,
        job: JobId,
        pages: &[StagedPage],
    ) -> Result<(), StorageError>;
    /// Those of these pages that are kept, in no order.
    async fn kept(
        &mut self,
        account: AccountId,
        project: ProjectId,
        urls: &[String],
    ) -> Result<Vec<KeptPage>, StorageError>;
    /// What to ask by, of those of these pages whose server gave something.
    async fn validators(
        &mut self,
        account: AccountId,
        project: ProjectId,
        urls: &[String],
    ) -> Result<Vec<(String, Validators)>, StorageError>;
    /// The URLs that are kept, behind one of them, in an order of their own.
    async fn urls(
        &mut self,
        account: AccountId,
        project: ProjectId,
        behind: Option<String>,
        limit: u32,
    ) -> Result<Vec<String>, StorageError>;
    /// Forgets up to `limit` pages that were last visited before that time; says how many.
    async fn forget(
        &mut self,
        account: AccountId,
        project: ProjectId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
