//! What suppliers cost: reserved before, settled after.

use super::storage::StorageError;
use crate::{ids::AccountId, money::MicroUsd};
use async_trait::async_trait;

/// Spending of an account or of the whole server, in a calendar month or on a day (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spending {
    /// Set aside for jobs that are not done.
    pub reserved: MicroUsd,
    pub spent: MicroUsd,
}

impl Spending {
    /// What no other job can have: spent or set aside.
    pub const fn taken(self) -> MicroUsd {
        MicroUsd(self.spent.0.saturating_add(self.reserved.0))
    }
}

/// Remembers spending. A month is named by its first day, `2026-11-01`. A job counts in the month
/// and on the day on which it was asked for.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SpendingRepository: Send {
    async fn find(
        &mut self,
        account: AccountId,
        month: chrono::NaiveDate,
    ) -> Result<Spending, StorageError>;
    /// In one statement; `false`, and nothing changed, when that would pass the cap.
    async fn reserve(
        &mut self,
        account: AccountId,
        month: chrono::NaiveDate,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError>;
    /// Turns a reservation into what was really spent.
    async fn settle(
        &mut self,
        account: AccountId,
        month: chrono::NaiveDate,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError>;
    async fn find_day(
        &mut self,
        account: AccountId,
        day: chrono::NaiveDate,
    ) -> Result<Spending, StorageError>;
    async fn reserve_day(
        &mut self,
        account: AccountId,
        day: chrono::NaiveDate,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError>;
    async fn settle_day(
        &mut self,
        account: AccountId,
        day: chrono::NaiveDate,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError>;
    async fn find_in_all(&mut self, day: chrono::NaiveDate) -> Result<Spending, StorageError>;
    /// As `reserve`, on a day and over all accounts. All jobs that cost money meet in one row: it
    /// comes last in a transaction, and jobs that cost nothing leave it alone.
    async fn reserve_in_all(
        &mut self,
        day: chrono::NaiveDate,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Result<bool, StorageError>;
    async fn settle_in_all(
        &mut self,
        day: chrono::NaiveDate,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Result<(), StorageError>;
}
