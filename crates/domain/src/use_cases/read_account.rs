use crate::{
    account::Account,
    allowance::Allowance,
    ids::AccountId,
    job::policy::QueuePolicy,
    ports::{
        clock::Clock,
        jobs::QueueSummary,
        spending::{Counter, Spending, month_of},
        storage::{Storage, StorageError},
    },
    stored_data::{StorageLimits, StoredData},
};
use chrono::NaiveDate;
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
        let mut read = self.storage.read().await?;
        let Some(found) = read.accounts().find(account).await? else {
            return Ok(None);
        };
        let [of_month, of_day, _] = Counter::of(account, day);
        let spending = read.spending().find(of_month).await?;
        let today = read.spending().find(of_day).await?;
        let queue = read.jobs().summary(account).await?;
        let stored = read.stored_data().of_account(account).await?;
        let stored_projects = read.projects().count_all(account).await?;
        Ok(Some(AccountState {
            account: found,
            spending,
            month: month_of(day),
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
