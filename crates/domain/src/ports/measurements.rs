use super::storage::StorageError;
use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::results::{
    AsOf, JournalEntry, KeywordHistory, KeywordMeasurement, OwnSnapshot, RankHistoryPoint,
    StagedFinding,
};
use analysis::result_type::ResultType;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait MeasurementRepository: Send {
    /// Histories of these keywords, in the order of `keywords`: the source's points of the 37 days
    /// before the day (newest first, without the job's own), plus the newest measured one if the window
    /// has none; its last page; and the page of the run nearest to a month ago (23 to 37 days).
    async fn histories(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        as_of: &AsOf,
    ) -> Result<Vec<KeywordHistory>, StorageError>;
    /// Rank histories of these keywords from `since` through the day of `as_of`, its job included;
    /// oldest first, measurements of one day in their order. In the order of `keywords`.
    async fn rank_histories(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
    ) -> Result<Vec<Vec<RankHistoryPoint>>, StorageError>;
    /// Own pages in that period, in the order of `keywords`; failed measurements are omitted.
    async fn own_places(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
    ) -> Result<Vec<Vec<OwnSnapshot>>, StorageError>;
    /// Adds measurements. A keyword's existing measurement of the job stays.
    async fn add(
        &mut self,
        account: AccountId,
        project: ProjectId,
        measurements: &[KeywordMeasurement],
    ) -> Result<(), StorageError>;
    /// Number of the job's measurements per keyword. For audits and tests.
    async fn counts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
    ) -> Result<Vec<(KeywordId, u32)>, StorageError>;
    /// Deletes points measured before a day, of a batch of the account's keywords after `after` in
    /// id order; returns the last of them, `None` at the end.
    async fn purge_points(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        after: Option<KeywordId>,
    ) -> Result<Option<KeywordId>, StorageError>;
    /// Deletes records of a type measured before the given time, of a batch of the account's projects after
    /// `after`; keeps those of the newest run. Returns the last of the projects, `None` at the end.
    async fn purge_findings(
        &mut self,
        account: AccountId,
        result_type: ResultType,
        before: DateTime<Utc>,
        after: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError>;

    /// Stages records; replaces what the job staged under the same ordinal.
    async fn stage(
        &mut self,
        account: AccountId,
        job: JobId,
        findings: &[StagedFinding],
    ) -> Result<(), StorageError>;
    /// Stages the project's newest records of a type about active keywords for which the job has staged
    /// none, from ordinal [`CARRIED_OVER_ORDINAL`](crate::results::CARRIED_OVER_ORDINAL) on; returns how many. Idempotent.
    async fn stage_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        result_type: ResultType,
    ) -> Result<u64, StorageError>;
    /// Keywords for which the job staged a record of this type that is not carried over.
    async fn staged_keywords(
        &mut self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
    ) -> Result<Vec<KeywordId>, StorageError>;
    /// A batch of the job's staged records of a type, in ordinal order.
    async fn staged(
        &mut self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<StagedFinding>, StorageError>;
    /// Deletes everything the job staged or wrote to its journal.
    async fn discard(&mut self, account: AccountId, job: JobId) -> Result<(), StorageError>;

    async fn append_journal(
        &mut self,
        account: AccountId,
        job: JobId,
        entries: &[JournalEntry],
    ) -> Result<(), StorageError>;
    /// A batch of the job's journal, in order.
    async fn read_journal(
        &mut self,
        account: AccountId,
        job: JobId,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StorageError>;
}
