//! Reads an account with what it has used.

use crate::{
    account::Account,
    ids::AccountId,
    job::policy::QueuePolicy,
    ports::{
        clock::Clock,
        jobs::QueueSummary,
        spending::Spending,
        storage::{Storage, StorageError},
    },
};
use chrono::{Datelike, NaiveDate};
use std::sync::Arc;

/// Reads accounts.
pub struct ReadAccount {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

/// An account, its spending this month, and its queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountState {
    /// The account.
    pub account: Account,
    /// What its suppliers cost this month.
    pub spending: Spending,
    /// When the month began.
    pub month: NaiveDate,
    /// What its suppliers cost today.
    pub today: Spending,
    /// Which day that is, in UTC.
    pub day: NaiveDate,
    /// Its unfinished jobs in numbers.
    pub queue: QueueSummary,
    /// How many unfinished jobs it may have.
    pub queue_limit: u32,
}

impl ReadAccount {
    /// On this storage and clock.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
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
        Ok(Some(AccountState {
            account: found,
            spending,
            month,
            today,
            day,
            queue,
            queue_limit: policy.queued_per_account,
        }))
    }
}

/// The first day of the day's month: the name of a spending period.
#[must_use]
pub fn month_of(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}
