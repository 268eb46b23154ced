use super::storage::StorageError;
use crate::ids::{AccountId, ConsoleSpanId, ProjectId};
use crate::page::{Page, PageRequest};
use crate::search_console::{PageDay, RowSet, RowSum, StoredSpan, Told};
use crate::stored_data::DataSize;
use analysis::ctr::PositionClicks;
use async_trait::async_trait;
use chrono::NaiveDate;

/// Remembers rows. What is summed up is always said by the numbers of what was imported: rows of
/// other cuts and days are never among it.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ConsoleRowRepository: Send {
    /// Puts rows in the place of those that the project has for the same cut and days; says how many
    /// rows that were. No cut and days may come twice in `sets`; each has its own
    /// fresh id.
    async fn replace(
        &mut self,
        account: AccountId,
        project: ProjectId,
        ids: &[ConsoleSpanId],
        sets: &[RowSet],
        told: &Told,
    ) -> Result<u64, StorageError>;
    /// The size of what [`replace`](Self::replace) would take away for these sets.
    async fn size_of_same(
        &mut self,
        account: AccountId,
        project: ProjectId,
        sets: &[RowSet],
    ) -> Result<DataSize, StorageError>;
    /// What was imported that ends on that day or later, in the order of days and cuts.
    async fn spans(
        &mut self,
        account: AccountId,
        project: ProjectId,
        since: NaiveDate,
    ) -> Result<Vec<StoredSpan>, StorageError>;
    /// Clicks and impressions by the position nearest to a row's mean.
    async fn by_position(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
    ) -> Result<Vec<PositionClicks>, StorageError>;
    /// By search, page, country and device, in no order. `queries` are given as keywords are compared.
    async fn about_queries(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        queries: &[String],
    ) -> Result<Vec<RowSum>, StorageError>;
    /// By search and page, most shown first; countries and devices together.
    async fn most_shown(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        limit: u32,
    ) -> Result<Vec<RowSum>, StorageError>;
    /// Sums by search and page over countries, devices and days, those shown most first.
    async fn shown(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        page: &PageRequest<()>,
    ) -> Result<Page<RowSum>, StorageError>;
    /// What was counted of these pages, day by day, in no order; days without a row are left out.
    async fn page_days(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        pages: &[String],
    ) -> Result<Vec<PageDay>, StorageError>;
    /// Forgets up to `limit` of the account's imports that end before that day; says how many.
    async fn forget(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
