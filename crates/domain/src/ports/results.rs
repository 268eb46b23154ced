use super::storage::StorageError;
use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::page::Page;
use crate::results::{CarriedKind, Finding, FindingQuery, ResultHead};
use analysis::{document::Document, result_type::ResultType};
use async_trait::async_trait;

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ResultRepository: Send {
    /// Publishes everything the heads' job staged, moves the heads to it, and clears the job's
    /// journal. Types in `copied` were copied before ([`Self::copy_staged`]).
    async fn publish(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        heads: &[ResultHead],
        copied: &[ResultType],
    ) -> Result<(), StorageError>;
    /// Copies up to `limit` staged records of a type, after an ordinal, to the published records. They
    /// are invisible while the job is unfinished. Returns the last copied ordinal; `None` at the end.
    async fn copy_staged(
        &mut self,
        account: AccountId,
        project: ProjectId,
        run: (ResultType, JobId),
        after: Option<i64>,
        limit: u32,
    ) -> Result<Option<i64>, StorageError>;
    /// Deletes copied records of a job that has not published them.
    async fn discard_copied(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
    ) -> Result<(), StorageError>;
    /// Data that the newest run left for the next one; never shown.
    async fn carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: CarriedKind,
    ) -> Result<Option<Document>, StorageError>;
    async fn save_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: CarriedKind,
        carried: &Document,
    ) -> Result<(), StorageError>;
    async fn head(
        &mut self,
        account: AccountId,
        project: ProjectId,
        result_type: ResultType,
    ) -> Result<Option<ResultHead>, StorageError>;
    /// Heads of these types of several projects, unordered.
    async fn heads_for_projects(
        &mut self,
        account: AccountId,
        projects: &[ProjectId],
        result_types: &[ResultType],
    ) -> Result<Vec<ResultHead>, StorageError>;
    /// Records of a run about these keywords, unordered.
    async fn find_by_keywords(
        &mut self,
        account: AccountId,
        project: ProjectId,
        run: (ResultType, JobId),
        keywords: &[KeywordId],
    ) -> Result<Vec<Finding>, StorageError>;
    async fn carried_over_for_projects(
        &mut self,
        account: AccountId,
        projects: &[ProjectId],
        kind: CarriedKind,
    ) -> Result<Vec<(ProjectId, Document)>, StorageError>;
    /// The newest results of every type, each with its first `top` records.
    async fn heads(
        &mut self,
        account: AccountId,
        project: ProjectId,
        top: u32,
    ) -> Result<Vec<(ResultHead, Vec<Finding>)>, StorageError>;
    async fn findings(
        &mut self,
        account: AccountId,
        project: ProjectId,
        query: &FindingQuery,
    ) -> Result<Page<Finding>, StorageError>;
}
