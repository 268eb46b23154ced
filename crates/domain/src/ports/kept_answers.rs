use super::storage::StorageError;
use crate::ids::{AccountId, AnswerId, JobId, KeywordId, ProjectId};
use crate::kept_answers::{AnswerKey, AnswerQuery, KeptAnswer, KeywordTallies, TallyPlace};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

/// Keeps answers, and counts of them for longer.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AnswerRepository: Send {
    /// Keeps answers; of a question that the run has an answer to already, that one stays.
    async fn keep(
        &mut self,
        account: AccountId,
        project: ProjectId,
        answers: &[KeptAnswer],
    ) -> Result<(), StorageError>;
    /// Questions about these keywords that have answers; `None` stands for those about no keyword.
    async fn answered(
        &mut self,
        account: AccountId,
        job: JobId,
        keywords: &[Option<KeywordId>],
    ) -> Result<Vec<AnswerKey>, StorageError>;
    /// The run's answers about these keywords, in the order of keyword, engine, prompt and sample.
    async fn of_job(
        &mut self,
        account: AccountId,
        job: JobId,
        keywords: &[Option<KeywordId>],
    ) -> Result<Vec<KeptAnswer>, StorageError>;
    async fn count(&mut self, account: AccountId, job: JobId) -> Result<u64, StorageError>;
    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
        answer: AnswerId,
    ) -> Result<Option<KeptAnswer>, StorageError>;
    /// A part of the project's answers, newest first.
    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        query: &AnswerQuery,
    ) -> Result<Vec<KeptAnswer>, StorageError>;
    /// Forgets up to `limit` answers that were kept before that time; says how many.
    async fn forget(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;

    /// Counts a run's answers: what was counted of the same keyword, engine and run is replaced.
    async fn count_in(
        &mut self,
        account: AccountId,
        project: ProjectId,
        tallies: &[KeywordTallies],
    ) -> Result<(), StorageError>;
    /// Up to `limit` counts since a day, behind `after` in the order of day, run and keyword.
    async fn tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        engine: &str,
        since: NaiveDate,
        after: Option<TallyPlace>,
        limit: u32,
    ) -> Result<Vec<KeywordTallies>, StorageError>;
    /// Stages what the project's newest visibility records tell in these places
    /// ([`record_places`](crate::record_places)) where the job has staged nothing: about keywords as
    /// long as they are AI-tracked, and about the project itself. From
    /// [`CARRIED`](crate::results::CARRIED) on; says how many that are. A second time changes nothing.
    async fn stage_carried(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        places: &[i64],
    ) -> Result<u64, StorageError>;

    /// Forgets about `limit` counts, in whole days; returns how many, fewer than `limit` at the end.
    async fn forget_tallies(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
