//! The queue. What happens to a job is decided by [`crate::job::transitions`]; this remembers.

use super::storage::StorageError;
use crate::{
    account::Account,
    ids::{AccountId, JobId, ProjectId},
    job::{
        Job, JobStatus, kind::AnalysisKind, line::AccountQueue, policy::QueuePolicy, slots::Takes,
    },
    page::{Page, PageRequest},
    project::Project,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Which jobs are wanted. All that is given has to hold.
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
    /// Since when the oldest waiting one waits.
    pub oldest_queued_at: Option<DateTime<Utc>>,
}

/// The whole queue in numbers, whoever's jobs they are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QueueFigures {
    /// Jobs waiting, now or for later.
    pub waiting: u64,
    pub running: u64,
    /// When the first waiting job may run, or earlier; `None` when none waits.
    pub next_run_at: Option<DateTime<Utc>>,
    /// When the first of all needs a sweep, or earlier: its lease, its deadline or its time to begin is over then.
    pub attention_at: Option<DateTime<Utc>>,
    /// The least virtual time of accounts with unfinished jobs; a newcomer begins there.
    pub least_virtual_time: f64,
}

impl QueueFigures {
    pub const fn unfinished(&self) -> u64 {
        self.waiting.saturating_add(self.running)
    }
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait JobRepository: Send {
    /// Adds a job; `false`, and nothing is added, when an unfinished one has its dedupe key, or any one its id.
    async fn add(&mut self, job: &Job) -> Result<bool, StorageError>;
    async fn find(&mut self, account: AccountId, job: JobId) -> Result<Option<Job>, StorageError>;
    /// One job, kept from other writers until the transaction ends.
    async fn lock(&mut self, account: AccountId, job: JobId) -> Result<Option<Job>, StorageError>;
    async fn unfinished_with_key(
        &mut self,
        account: AccountId,
        dedupe_key: &str,
    ) -> Result<Option<Job>, StorageError>;
    /// Those of the account's jobs, locked in the order of their ids.
    async fn lock_all(
        &mut self,
        account: AccountId,
        jobs: &[JobId],
    ) -> Result<Vec<Job>, StorageError>;
    async fn save(&mut self, job: &Job) -> Result<(), StorageError>;
    /// Everything as given, in one statement. All are one account's, and locked.
    async fn save_all(&mut self, jobs: &[Job]) -> Result<(), StorageError>;
    async fn list(
        &mut self,
        account: AccountId,
        filter: &JobFilter,
        page: &PageRequest<JobSort>,
    ) -> Result<Page<Job>, StorageError>;
    /// The project's unfinished jobs, or all of the account's, locked.
    async fn lock_unfinished(
        &mut self,
        account: AccountId,
        project: Option<ProjectId>,
    ) -> Result<Vec<Job>, StorageError>;
    async fn summary(&mut self, account: AccountId) -> Result<QueueSummary, StorageError>;
    /// How many of the account's waiting jobs go before this one; `None` when it does not wait.
    async fn position(
        &mut self,
        account: AccountId,
        job: JobId,
    ) -> Result<Option<u32>, StorageError>;

    /// The account's line, made when it has none, locked until the transaction ends.
    async fn lock_queue(&mut self, account: AccountId) -> Result<AccountQueue, StorageError>;
    /// As `lock_queue`, but `None` at once when another transaction has it, or when there is none.
    async fn try_lock_queue(
        &mut self,
        account: AccountId,
    ) -> Result<Option<AccountQueue>, StorageError>;
    /// `lock_queue` and `lock_all` in one statement, the line before the jobs.
    async fn lock_with_line(
        &mut self,
        account: AccountId,
        jobs: &[JobId],
    ) -> Result<(AccountQueue, Vec<Job>), StorageError>;
    /// The account, its line and the project, in one statement and locked in this order until the transaction ends.
    /// `None` when there is no such account, or none with a line, or no such project in it.
    async fn lock_with_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<(Account, AccountQueue, Project)>, StorageError>;
    /// The same for an account that has no line.
    async fn lock_newcomer_with_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<(Account, Project)>, StorageError>;
    /// Writes an account's line as it is known to be; the transaction holds it.
    async fn save_queue(&mut self, line: &AccountQueue) -> Result<(), StorageError>;
    /// Adds the line of an account that had none; [`StorageError::Interrupted`] when it has one by now.
    async fn add_queue(&mut self, line: &AccountQueue) -> Result<(), StorageError>;
    /// Counts the account's unfinished jobs anew, and writes that and the virtual time.
    async fn refresh_queue(
        &mut self,
        account: AccountId,
        virtual_time: f64,
    ) -> Result<AccountQueue, StorageError>;
    /// The account's next due jobs of these kinds in the order priority, `run_at`, id; locked, passing over jobs
    /// that others have locked. Equal to [`Job::is_due`] and not [`Job::cancel_requested`].
    async fn lock_due(
        &mut self,
        account: AccountId,
        takes: Takes,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError>;
    /// The account's jobs that need attention, locked. Equal to [`Job::needs_attention`].
    async fn lock_needing_attention(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError>;

    /// Forgets up to `limit` jobs for which [`Job::is_forgettable`] holds; their results stay.
    async fn forget(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
        limit: u32,
    ) -> Result<u64, StorageError>;

    /// Accounts with due jobs of these kinds and fewer than `cap` running, least served first. For workers.
    async fn accounts_with_due_jobs(
        &mut self,
        takes: Takes,
        now: DateTime<Utc>,
        cap: u32,
        limit: u32,
    ) -> Result<Vec<AccountQueue>, StorageError>;
    /// Accounts that the sweep should look at. For workers.
    async fn accounts_needing_attention(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// Accounts with running jobs behind one in the order of their ids. For a process that works alone.
    async fn accounts_with_running_jobs(
        &mut self,
        behind: Option<AccountId>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError>;
    /// Whether some account runs jobs and need not be looked at before `since`: only workers that live look after
    /// accounts in time. For any account's requests.
    async fn is_any_account_looked_after(
        &mut self,
        since: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// The whole queue in numbers. For metrics.
    async fn queue_figures(&mut self) -> Result<QueueFigures, StorageError>;
    /// The same, and whether the account has a line, in one statement. For requests.
    async fn queue_figures_for(
        &mut self,
        account: AccountId,
    ) -> Result<(QueueFigures, bool), StorageError>;
    /// Accounts with waiting jobs, up to `limit` of them in the order of their ids. For metrics.
    async fn waiting_accounts(&mut self, limit: u32) -> Result<Vec<AccountQueue>, StorageError>;
    /// When the next waiting job of any account may run. For workers that wait.
    async fn next_run_at(&mut self) -> Result<Option<DateTime<Utc>>, StorageError>;
}
