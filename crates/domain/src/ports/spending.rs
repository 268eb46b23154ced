//! What suppliers cost: reserved before, settled after.

use super::storage::StorageError;
use crate::{ids::AccountId, money::MicroUsd};
use async_trait::async_trait;

/// An account's spending in one calendar month (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spending {
    /// Set aside for jobs that are not done.
    pub reserved: MicroUsd,
    /// Spent.
    pub spent: MicroUsd,
}

/// Remembers spending. A month is named by its first day, `2026-11-01`.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SpendingRepository: Send {
    /// The account's spending in the month.
    async fn find(
        &mut self,
        account: AccountId,
        month: chrono::NaiveDate,
    ) -> Result<Spending, StorageError>;
    /// Sets an amount aside in one statement, unless that would pass the cap; `false` when it
    /// would, and then nothing is changed.
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
}
