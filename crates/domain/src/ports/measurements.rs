use super::storage::StorageError;
use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::results::{
    AsOf, CoursePoint, JournalEntry, KeywordHistory, KeywordMeasurement, OwnSnapshot, StagedFinding,
};
use analysis::result_type::ResultType;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait MeasurementRepository: Send {
    /// What is known of these keywords: points of the source not older than 37 days before the
    /// day (all of them, newest first, without those of the job itself), plus the newest measured
    /// one when there is none in that time, its last page, and the page of the run that was nearest
    /// to a month ago (23 to 37 days). In the order of `keywords`.
    async fn histories(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        as_of: &AsOf,
    ) -> Result<Vec<KeywordHistory>, StorageError>;
    /// Where these keywords stood from the day `since` up to the day of `as_of`, its job included;
    /// oldest first, several measurements of one day in their order. In the order of `keywords`.
    async fn courses(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
    ) -> Result<Vec<Vec<CoursePoint>>, StorageError>;
    /// Own places in that time, in the order of `keywords`; failed measurements are left out.
    async fn own_places(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
    ) -> Result<Vec<Vec<OwnSnapshot>>, StorageError>;
    /// Adds measurements. One that the job already has for a keyword is left as it is.
    async fn add(
        &mut self,
        account: AccountId,
        project: ProjectId,
        measurements: &[KeywordMeasurement],
    ) -> Result<(), StorageError>;
    /// How many measurements the job has of each keyword. For audits and tests.
    async fn counts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
    ) -> Result<Vec<(KeywordId, u32)>, StorageError>;
    /// Forgets what was measured before a day, of some of the account's keywords behind `after` in
    /// the order of their ids; answers with the last of them, `None` at the end.
    async fn forget_points(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        after: Option<KeywordId>,
    ) -> Result<Option<KeywordId>, StorageError>;
    /// Forgets records of a type that were measured before, of some of the account's projects behind
    /// `after`; what the newest run brought is never forgotten. Answers with the last of the
    /// projects, `None` at the end.
    async fn forget_findings(
        &mut self,
        account: AccountId,
        result_type: ResultType,
        before: DateTime<Utc>,
        after: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError>;

    /// Puts records on their way; what the job staged in the same place before is replaced.
    async fn stage(
        &mut self,
        account: AccountId,
        job: JobId,
        findings: &[StagedFinding],
    ) -> Result<(), StorageError>;
    /// Stages what the project's newest results of a type hold of active keywords about which the
    /// job has staged nothing, from [`CARRIED`](crate::results::CARRIED) on; says how many that
    /// are. A second time changes nothing.
    async fn stage_carried(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        result_type: ResultType,
    ) -> Result<u64, StorageError>;
    /// Keywords about which the job has staged a record of this type of its own.
    async fn staged_keywords(
        &mut self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
    ) -> Result<Vec<KeywordId>, StorageError>;
    /// A part of the job's staged records of a type, in the order of their ordinals.
    async fn staged(
        &mut self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<StagedFinding>, StorageError>;
    /// Throws away everything the job staged or wrote in its journal.
    async fn discard(&mut self, account: AccountId, job: JobId) -> Result<(), StorageError>;

    async fn record(
        &mut self,
        account: AccountId,
        job: JobId,
        entries: &[JournalEntry],
    ) -> Result<(), StorageError>;
    /// A part of the job's journal, in order.
    async fn recorded(
        &mut self,
        account: AccountId,
        job: JobId,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StorageError>;
}
