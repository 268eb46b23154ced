use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::job::kind::AnalysisKind;
use crate::schedule::Schedule;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ScheduleRepository: Send {
    /// Sets a schedule, replacing the project's schedule of that kind.
    async fn set(&mut self, schedule: &Schedule) -> Result<(), StorageError>;
    /// Returns whether one existed.
    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
    ) -> Result<bool, StorageError>;
    /// The account's schedules, in the order of projects and kinds.
    async fn list(&mut self, account: AccountId) -> Result<Vec<Schedule>, StorageError>;
    /// Accounts with due schedules, longest waiting first.
    async fn accounts_due(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// The account's due schedules, longest waiting first.
    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Schedule>, StorageError>;
    /// Replaces `before` with `after`; `false` if the schedule changed meanwhile.
    async fn advance(&mut self, before: &Schedule, after: &Schedule) -> Result<bool, StorageError>;
}
