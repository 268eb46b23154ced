use super::storage::StorageError;
use crate::ids::{AccountId, ConsoleSpanId, ProjectId};
use crate::page::{Page, PageRequest};
use crate::search_console::{ImportInfo, PageDay, RowSet, RowSum, StoredSpan};
use crate::stored_data::DataSize;
use analysis::ctr::PositionClicks;
use async_trait::async_trait;
use chrono::NaiveDate;

/// Stores Search Console rows. Sums cover exactly the given imports (`spans`), so rows of other
/// dimensions and days are never included.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ConsoleRowRepository: Send {
    /// Replaces the project's rows of the same dimensions and days; returns how many rows were
    /// replaced. `sets` must not repeat dimensions and days; `ids` holds a fresh id for each set.
    async fn replace(
        &mut self,
        account: AccountId,
        project: ProjectId,
        ids: &[ConsoleSpanId],
        sets: &[RowSet],
        import_info: &ImportInfo,
    ) -> Result<u64, StorageError>;
    /// Size of the rows that [`replace`](Self::replace) would remove for these sets.
    async fn size_of_replaced(
        &mut self,
        account: AccountId,
        project: ProjectId,
        sets: &[RowSet],
    ) -> Result<DataSize, StorageError>;
    /// Imports that end on that day or later, in the order of days and dimensions.
    async fn spans(
        &mut self,
        account: AccountId,
        project: ProjectId,
        since: NaiveDate,
    ) -> Result<Vec<StoredSpan>, StorageError>;
    /// Clicks and impressions by rounded average position of the row.
    async fn by_position(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
    ) -> Result<Vec<PositionClicks>, StorageError>;
    /// Sums by query, page, country and device, unordered. `queries` are normalized keyword texts.
    async fn sums_for_queries(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        queries: &[String],
    ) -> Result<Vec<RowSum>, StorageError>;
    /// Sums by query and page over countries and devices, most impressions first.
    async fn top_by_impressions(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        limit: u32,
    ) -> Result<Vec<RowSum>, StorageError>;
    /// Sums by query and page over countries, devices and days, most impressions first.
    async fn list_by_impressions(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        page: &PageRequest<()>,
    ) -> Result<Page<RowSum>, StorageError>;
    /// Daily sums of these pages, unordered; days without a row are omitted.
    async fn page_days(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        pages: &[String],
    ) -> Result<Vec<PageDay>, StorageError>;
    /// Deletes up to `limit` of the account's imports that end before that day; returns how many.
    async fn purge_before(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
