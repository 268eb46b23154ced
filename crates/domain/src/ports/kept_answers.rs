use super::storage::StorageError;
use crate::ids::{AccountId, AnswerId, JobId, KeywordId, ProjectId};
use crate::kept_answers::{AnswerKey, AnswerQuery, KeptAnswer, KeywordTallies, TallyCursor};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

/// Stores answers, and tallies of them for longer.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AnswerRepository: Send {
    /// Stores answers; the first answer to a query of a run stays.
    async fn keep(
        &mut self,
        account: AccountId,
        project: ProjectId,
        answers: &[KeptAnswer],
    ) -> Result<(), StorageError>;
    /// Queries about these keywords that have answers; `None` means queries about no keyword.
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
    /// One page of the project's answers, newest first.
    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        query: &AnswerQuery,
    ) -> Result<Vec<KeptAnswer>, StorageError>;
    /// Deletes up to `limit` answers stored before that time; returns how many.
    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError>;

    /// Saves a run's tallies, replacing those of the same keyword, engine and run.
    async fn save_tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        tallies: &[KeywordTallies],
    ) -> Result<(), StorageError>;
    /// Up to `limit` tallies since a day, after `after` in the order of day, run and keyword.
    async fn tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        engine: &str,
        since: NaiveDate,
        after: Option<TallyCursor>,
        limit: u32,
    ) -> Result<Vec<KeywordTallies>, StorageError>;
    /// Stages the project's newest visibility records at these ordinals ([`record_ordinals`](crate::record_ordinals))
    /// where the job has staged none: those of AI-tracked keywords and of the project itself. Their ordinals start
    /// at [`CARRIED_OVER_ORDINAL`](crate::results::CARRIED_OVER_ORDINAL); returns how many. Idempotent.
    async fn stage_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        places: &[i64],
    ) -> Result<u64, StorageError>;

    /// Deletes about `limit` tallies, in whole days; returns how many, fewer than `limit` at the end.
    async fn purge_tallies(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        limit: u32,
    ) -> Result<u64, StorageError>;
}
