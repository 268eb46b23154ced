use super::storage::StorageError;
use crate::ids::{AccountId, FlightId, SearchId, UserId};
use crate::keyword_research::{
    Flight, KeptResearch, ResearchSubject, Reservation, Search, SearchLine, SubjectKey,
};
use crate::page::{Page, PageRequest};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

/// How searches are sorted; the id makes the order total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchSort {
    SearchedAt,
}

/// Remembers keyword research. Market data and the questions under way belong to no account, and
/// nothing of them tells who asked; quotas and searches are an account's.
///
/// Whoever changes several in one transaction begins with the question under way, then the quota, then
/// spending: nobody then waits in a circle.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ResearchRepository: Send {
    /// What is kept under the key and still good.
    async fn kept(
        &mut self,
        key: SubjectKey,
        now: DateTime<Utc>,
    ) -> Result<Option<KeptResearch>, StorageError>;
    /// The newest answer that the account got under the key and that is still good.
    async fn own(
        &mut self,
        account: AccountId,
        key: SubjectKey,
        now: DateTime<Utc>,
    ) -> Result<Option<KeptResearch>, StorageError>;
    /// Keeps it in the place of what was there.
    async fn keep(
        &mut self,
        key: SubjectKey,
        subject: &ResearchSubject,
        kept: &KeptResearch,
    ) -> Result<(), StorageError>;
    /// Forgets up to `most` results that are not good any more.
    async fn forget_kept(&mut self, now: DateTime<Utc>, most: u32) -> Result<u64, StorageError>;

    /// Begins to ask; `false` when somebody else does. Others who want the same wait until the transaction ends.
    async fn depart(
        &mut self,
        key: SubjectKey,
        flight: FlightId,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<bool, StorageError>;
    /// The question under way, or the last one that brought nothing.
    async fn flight(&mut self, key: SubjectKey) -> Result<Option<Flight>, StorageError>;
    /// Ends a question, with a failure if it brought nothing; `false` when it is another's by now.
    async fn land(
        &mut self,
        key: SubjectKey,
        flight: FlightId,
        now: DateTime<Utc>,
        failure: Option<String>,
    ) -> Result<bool, StorageError>;
    /// Forgets up to `most` questions whose time was over before that moment.
    async fn forget_flights(
        &mut self,
        before: DateTime<Utc>,
        most: u32,
    ) -> Result<u64, StorageError>;

    /// How many searches the account bought in the month, and how many are under way at that moment.
    async fn usage(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        now: DateTime<Utc>,
    ) -> Result<(u32, u32), StorageError>;
    /// The same, kept from other writers until the transaction ends.
    async fn lock_usage(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        now: DateTime<Utc>,
    ) -> Result<(u32, u32), StorageError>;
    async fn reserve(&mut self, reservation: &Reservation) -> Result<(), StorageError>;
    /// Takes a reservation away; says whether it was there.
    async fn release(&mut self, account: AccountId, flight: FlightId)
    -> Result<bool, StorageError>;
    /// Counts one more search as bought in the month.
    async fn book(&mut self, account: AccountId, month: NaiveDate) -> Result<(), StorageError>;
    /// Up to `most` of the account's reservations whose time is over.
    async fn lapsed(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<Reservation>, StorageError>;

    /// Notes a search, or moves up the person's earlier one with the same answer; returns its id.
    async fn note(&mut self, search: &Search) -> Result<SearchId, StorageError>;
    async fn searches(
        &mut self,
        account: AccountId,
        user: UserId,
        page: &PageRequest<SearchSort>,
    ) -> Result<Page<SearchLine>, StorageError>;
    async fn search(
        &mut self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Result<Option<Search>, StorageError>;
    /// Forgets one of a person's searches; says whether it was there.
    async fn forget(
        &mut self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Result<bool, StorageError>;
    /// Forgets up to `most` of the account's searches that were searched last before that moment.
    async fn forget_searches(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        most: u32,
    ) -> Result<u64, StorageError>;
}
