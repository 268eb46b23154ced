//! Supplier costs: reserved before, settled after.

use super::storage::StorageError;
use crate::{ids::AccountId, money::MicroUsd};
use async_trait::async_trait;
use chrono::{Datelike, NaiveDate};

/// Spending of an account or of the whole server, in a calendar month or on a day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spending {
    /// Reserved for unfinished jobs.
    pub reserved: MicroUsd,
    pub spent: MicroUsd,
}

impl Spending {
    /// Unavailable to other jobs: spent or reserved.
    pub const fn taken(self) -> MicroUsd {
        MicroUsd(self.spent.0.saturating_add(self.reserved.0))
    }
}

/// Key of a spending counter. A job counts in the month and on the day (UTC) on which it was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counter {
    /// An account in a calendar month, given by its first day, `2026-11-01`.
    Month(AccountId, NaiveDate),
    /// An account on a day.
    Day(AccountId, NaiveDate),
    /// All accounts on a day.
    ServerDay(NaiveDate),
}

impl Counter {
    /// All counters of an account's work on a day, in the order in which a transaction changes
    /// them. All paid jobs contend for the last row; free jobs do not touch it.
    pub fn of(account: AccountId, day: NaiveDate) -> [Self; 3] {
        [
            Self::Month(account, month_of(day)),
            Self::Day(account, day),
            Self::ServerDay(day),
        ]
    }
}

/// First day of the day's month, which names a spending period.
pub fn month_of(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}

/// Stores spending.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SpendingRepository: Send {
    async fn find(&mut self, counter: Counter) -> Result<Spending, StorageError>;
    /// One statement; `false`, and no change, if the amount would exceed the cap.
    async fn reserve(
        &mut self,
        counter: Counter,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError>;
    /// Replaces a reservation with the actual spending.
    async fn settle(
        &mut self,
        counter: Counter,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::ACCOUNT;

    #[test]
    fn spending_counts_for_month_day_and_server_day() {
        let [day, first] = [17, 1].map(|day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap());
        let counters = [
            Counter::Month(ACCOUNT, first),
            Counter::Day(ACCOUNT, day),
            Counter::ServerDay(day),
        ];
        assert_eq!(Counter::of(ACCOUNT, day), counters);
    }
}
