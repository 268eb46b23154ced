use super::storage::StorageError;
use crate::ids::{AccountId, FlightId, SearchId, UserId};
use crate::keyword_research::{
    Flight, KeptResearch, ResearchSubject, Reservation, Search, SearchSummary, SubjectKey,
};
use crate::page::{Page, PageRequest};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

/// Sort order of searches; the id breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchSort {
    SearchedAt,
}

/// Stores keyword research. Market data and flights belong to no account and do not reveal the
/// requester; quotas and searches belong to an account.
///
/// A transaction changes the flight first, then the quota, then spending; the fixed order prevents deadlocks.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ResearchRepository: Send {
    /// The unexpired result under the key.
    async fn find_kept(
        &mut self,
        key: SubjectKey,
        now: DateTime<Utc>,
    ) -> Result<Option<KeptResearch>, StorageError>;
    /// The account's newest unexpired result under the key.
    async fn find_own(
        &mut self,
        account: AccountId,
        key: SubjectKey,
        now: DateTime<Utc>,
    ) -> Result<Option<KeptResearch>, StorageError>;
    /// Stores the result, replacing an earlier one.
    async fn keep(
        &mut self,
        key: SubjectKey,
        subject: &ResearchSubject,
        kept: &KeptResearch,
    ) -> Result<(), StorageError>;
    /// Deletes up to `limit` expired results.
    async fn purge_kept(&mut self, now: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;

    /// Begins a flight; `false` if the key has another. Callers with the same key wait until the transaction ends.
    async fn begin_flight(
        &mut self,
        key: SubjectKey,
        flight: FlightId,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// The current flight, or the last one if it failed.
    async fn flight(&mut self, key: SubjectKey) -> Result<Option<Flight>, StorageError>;
    /// Ends a flight, with its failure if any; `false` if another flight has the key by now.
    async fn end_flight(
        &mut self,
        key: SubjectKey,
        flight: FlightId,
        now: DateTime<Utc>,
        failure: Option<String>,
    ) -> Result<bool, StorageError>;
    /// Deletes up to `limit` flights that expired before that time.
    async fn purge_flights(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;

    /// Searches the account bought in the month, and those in flight at `now`.
    async fn usage(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        now: DateTime<Utc>,
    ) -> Result<(u32, u32), StorageError>;
    /// Like `usage`, locked until the transaction ends.
    async fn lock_usage(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        now: DateTime<Utc>,
    ) -> Result<(u32, u32), StorageError>;
    async fn reserve(&mut self, reservation: &Reservation) -> Result<(), StorageError>;
    /// Deletes a reservation; returns whether it existed.
    async fn release(&mut self, account: AccountId, flight: FlightId)
    -> Result<bool, StorageError>;
    /// Adds one to the searches bought in the month.
    async fn count_purchase(
        &mut self,
        account: AccountId,
        month: NaiveDate,
    ) -> Result<(), StorageError>;
    /// Up to `limit` of the account's expired reservations.
    async fn expired_reservations(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Reservation>, StorageError>;

    /// Records a search, or updates the time of the user's earlier one with the same answer; returns its id.
    async fn record_search(&mut self, search: &Search) -> Result<SearchId, StorageError>;
    async fn searches(
        &mut self,
        account: AccountId,
        user: UserId,
        page: &PageRequest<SearchSort>,
    ) -> Result<Page<SearchSummary>, StorageError>;
    async fn search(
        &mut self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Result<Option<Search>, StorageError>;
    /// Deletes one of a user's searches; returns whether it existed.
    async fn delete_search(
        &mut self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Result<bool, StorageError>;
    /// Deletes up to `limit` of the account's searches last searched before that time.
    async fn purge_searches(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
