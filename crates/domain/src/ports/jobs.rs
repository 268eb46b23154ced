//! Stores the job queue. [`crate::job::transitions`] decides what happens to a job.

use super::storage::StorageError;
use crate::{
    account::Account,
    ids::{AccountId, JobId, ProjectId},
    job::{
        Job, JobStatus, account_queue::AccountQueue, kind::AnalysisKind, policy::QueuePolicy,
        slots::SlotKind,
    },
    page::{Page, PageRequest},
    project::Project,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Filter for jobs; all given conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobFilter {
    pub project: Option<ProjectId>,
    pub kind: Option<AnalysisKind>,
    pub status: Option<JobStatus>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobSort {
    CreatedAt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueSummary {
    pub queued: u32,
    pub running: u32,
    /// When the longest-waiting job was queued.
    pub oldest_queued_at: Option<DateTime<Utc>>,
}

/// Numbers of the whole queue, over all accounts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QueueFigures {
    /// Jobs waiting, those scheduled for later included.
    pub waiting: u64,
    pub running: u64,
    /// Lower bound of the next waiting job's `run_at`; `None` if none waits.
    pub next_run_at: Option<DateTime<Utc>>,
    /// Lower bound of the time when a job needs a sweep: its lease, its deadline or its start time expires.
    pub attention_at: Option<DateTime<Utc>>,
    /// Minimum virtual time of accounts with unfinished jobs; new accounts start there.
    pub min_virtual_time: f64,
}

impl QueueFigures {
    pub const fn unfinished(&self) -> u64 {
        self.waiting.saturating_add(self.running)
    }
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait JobRepository: Send {
    /// Adds a job; `false` if an unfinished job has its dedupe key, or any job its id.
    async fn add(&mut self, job: &Job) -> Result<bool, StorageError>;
    async fn find(&mut self, account: AccountId, job: JobId) -> Result<Option<Job>, StorageError>;
    /// Locks one job until the transaction ends.
    async fn lock(&mut self, account: AccountId, job: JobId) -> Result<Option<Job>, StorageError>;
    async fn unfinished_with_key(
        &mut self,
        account: AccountId,
        dedupe_key: &str,
    ) -> Result<Option<Job>, StorageError>;
    /// Locks these jobs of the account in id order.
    async fn lock_all(
        &mut self,
        account: AccountId,
        jobs: &[JobId],
    ) -> Result<Vec<Job>, StorageError>;
    async fn save(&mut self, job: &Job) -> Result<(), StorageError>;
    /// Saves all fields in one statement. All jobs must be locked and of one account.
    async fn save_all(&mut self, jobs: &[Job]) -> Result<(), StorageError>;
    async fn list(
        &mut self,
        account: AccountId,
        filter: &JobFilter,
        page: &PageRequest<JobSort>,
    ) -> Result<Page<Job>, StorageError>;
    /// Locks the unfinished jobs of the project, or of the whole account.
    async fn lock_unfinished(
        &mut self,
        account: AccountId,
        project: Option<ProjectId>,
    ) -> Result<Vec<Job>, StorageError>;
    async fn summary(&mut self, account: AccountId) -> Result<QueueSummary, StorageError>;
    /// Number of the account's waiting jobs ahead of this one; `None` if it is not waiting.
    async fn position(
        &mut self,
        account: AccountId,
        job: JobId,
    ) -> Result<Option<u32>, StorageError>;

    /// Locks the account's queue row until the transaction ends; creates a missing one.
    async fn lock_queue(&mut self, account: AccountId) -> Result<AccountQueue, StorageError>;
    /// Like `lock_queue`, but `None` at once if another transaction has the lock or the row is missing.
    async fn try_lock_queue(
        &mut self,
        account: AccountId,
    ) -> Result<Option<AccountQueue>, StorageError>;
    /// `lock_queue` and `lock_all` in one statement; locks the queue row first.
    async fn lock_queue_and_jobs(
        &mut self,
        account: AccountId,
        jobs: &[JobId],
    ) -> Result<(AccountQueue, Vec<Job>), StorageError>;
    /// Locks account, queue row and project, in this order and in one statement, until the
    /// transaction ends. `None` if one is missing.
    async fn lock_with_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<(Account, AccountQueue, Project)>, StorageError>;
    /// The same for an account without a queue row.
    async fn lock_newcomer_with_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<(Account, Project)>, StorageError>;
    /// Overwrites the account's queue row, which the transaction must have locked.
    async fn save_queue(&mut self, queue: &AccountQueue) -> Result<(), StorageError>;
    /// Adds the queue row of an account without one; [`StorageError::Interrupted`] if one exists by now.
    async fn add_queue(&mut self, queue: &AccountQueue) -> Result<(), StorageError>;
    /// Recounts the account's unfinished jobs, and saves the counts and the virtual time.
    async fn refresh_queue(
        &mut self,
        account: AccountId,
        virtual_time: f64,
    ) -> Result<AccountQueue, StorageError>;
    /// Locks the account's next due jobs of these kinds in the order priority, `run_at`, id; skips
    /// jobs locked by others. Selects by [`Job::is_due`] and not [`Job::cancel_requested`].
    async fn lock_due(
        &mut self,
        account: AccountId,
        takes: SlotKind,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError>;
    /// Locks the account's jobs for which [`Job::needs_attention`] holds.
    async fn lock_needing_attention(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError>;

    /// Deletes up to `limit` jobs for which [`Job::is_purgeable`] holds; their results stay.
    async fn purge_finished(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
        limit: u32,
    ) -> Result<u64, StorageError>;

    /// Accounts with due jobs of these kinds and fewer than `cap` running, least served first. For workers.
    async fn accounts_with_due_jobs(
        &mut self,
        takes: SlotKind,
        now: DateTime<Utc>,
        cap: u32,
        limit: u32,
    ) -> Result<Vec<AccountQueue>, StorageError>;
    /// Accounts that need a sweep. For workers.
    async fn accounts_needing_attention(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// Accounts with running jobs, after `behind` in id order. For a process that runs alone.
    async fn accounts_with_running_jobs(
        &mut self,
        behind: Option<AccountId>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// Whether some account with running jobs needs no sweep before `since`: only live workers
    /// sweep in time. For requests of any account.
    async fn has_live_workers(&mut self, since: DateTime<Utc>) -> Result<bool, StorageError>;
    /// Numbers of the whole queue. For metrics.
    async fn queue_figures(&mut self) -> Result<QueueFigures, StorageError>;
    /// Like `queue_figures`, plus whether the account has a queue row, in one statement. For requests.
    async fn queue_figures_for(
        &mut self,
        account: AccountId,
    ) -> Result<(QueueFigures, bool), StorageError>;
    /// Up to `limit` accounts with waiting jobs, in id order. For metrics.
    async fn waiting_accounts(&mut self, limit: u32) -> Result<Vec<AccountQueue>, StorageError>;
    /// When the next waiting job of any account may run. For idle workers.
    async fn next_run_at(&mut self) -> Result<Option<DateTime<Utc>>, StorageError>;
}
