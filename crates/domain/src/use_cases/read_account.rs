use crate::{
    account::Account,
    allowance::Allowance,
    ids::AccountId,
    job::policy::QueuePolicy,
    ports::{
        clock::Clock,
        jobs::QueueSummary,
        spending::Spending,
        storage::{Storage, StorageError},
    },
    stored_data::{StorageLimits, StoredData},
};
use chrono::{Datelike, NaiveDate};
use std::sync::Arc;

pub struct ReadAccount {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    limits: StorageLimits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountState {
    pub account: Account,
    pub spending: Spending,
    /// When the month began.
    pub month: NaiveDate,
    pub today: Spending,
    /// Which day that is, in UTC.
    pub day: NaiveDate,
    pub queue: QueueSummary,
    /// How many unfinished jobs it may have.
    pub queue_limit: u32,
    /// What it stores, deactivated projects included.
    pub stored: StoredData,
    /// How many projects it has, deactivated ones included.
    pub stored_projects: u32,
    pub storage_limits: StorageLimits,
}

impl AccountState {
    /// Room for projects and keywords, deactivated ones included.
    pub fn stored_allowances(&self) -> [Allowance; 2] {
        let limits = self.account.limits;
        [
            (self.storage_limits).projects(limits.projects, self.stored_projects),
            (self.storage_limits).keywords(limits.keywords, self.stored.keywords),
        ]
    }
}

impl ReadAccount {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self {
            storage,
            clock,
            limits: StorageLimits::default(),
        }
    }

    #[must_use]
    pub fn within(self, limits: StorageLimits) -> Self {
        Self { limits, ..self }
    }

    /// `None` when there is no such account.
    pub async fn run(
        &self,
        account: AccountId,
        policy: &QueuePolicy,
    ) -> Result<Option<AccountState>, StorageError> {
        let day = self.clock.now().date_naive();
        let month = month_of(day);
        let mut read = self.storage.read().await?;
        let Some(found) = read.accounts().find(account).await? else {
            return Ok(None);
        };
        let spending = read.spending().find(account, month).await?;
        let today = read.spending().find_day(account, day).await?;
        let queue = read.jobs().summary(account).await?;
        let stored = read.stored_data().of_account(account).await?;
        let stored_projects = read.projects().count_all(account).await?;
        Ok(Some(AccountState {
            account: found,
            spending,
            month,
            today,
            day,
            queue,
            queue_limit: policy.queued_per_account,
            stored,
            stored_projects,
            storage_limits: self.limits,
        }))
    }
}

/// The first day of the day's month: the name of a spending period.
pub fn month_of(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}
