use super::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

/// A worker with running jobs. An idle worker leaves no trace in the storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerFigures {
    pub name: String,
    pub jobs: u64,
    /// The latest end of its leases, which it renews while it runs.
    pub lease_until: DateTime<Utc>,
}

/// Deliveries by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MailFigures {
    /// Not ended yet.
    pub queued: u64,
    pub failed: u64,
    /// The mail server may have the message.
    pub unknown: u64,
    /// Not sent while they were useful.
    pub expired: u64,
}

/// Numbers of active accounts that use all of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LimitFigures {
    pub projects: u64,
    pub keywords: u64,
    pub ai_tracked: u64,
    pub monthly_budget: u64,
    pub daily_budget: u64,
}

/// Numbers of accounts that use all of a limit of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueLimitFigures {
    /// Jobs wait, because as many run as may run for the account.
    pub running: u64,
    /// As many jobs are unfinished as may be.
    pub unfinished: u64,
}

/// Figures of the whole server, for operators. None is about one account, project, keyword or person.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ServerFigureRepository: Send {
    /// Up to `limit` workers with running jobs, in order of names.
    async fn workers(&mut self, limit: u32) -> Result<Vec<WorkerFigures>, StorageError>;
    /// Code of the final error of each job that failed or expired since then, up to `limit`, newest first.
    async fn failures_since(
        &mut self,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<String>, StorageError>;
    /// Deliveries that have not ended, and those that ended without success since then.
    async fn mail_since(&mut self, since: DateTime<Utc>) -> Result<MailFigures, StorageError>;
    /// `today` in UTC.
    async fn limits_reached(&mut self, today: NaiveDate) -> Result<LimitFigures, StorageError>;
    async fn queue_limits_reached(
        &mut self,
        running: u32,
        unfinished: u32,
    ) -> Result<QueueLimitFigures, StorageError>;
}
