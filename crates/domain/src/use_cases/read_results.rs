//! Reads a project's results: one type with its records, or the heads of all types.

use crate::{
    ids::{AccountId, JobId, KeywordId, ProjectId},
    job::{JobStatus, kind::AnalysisKind},
    page::{Direction, Page, PageRequest},
    ports::{
        jobs::{JobFilter, JobSort},
        storage::{Repositories, Storage, StorageError},
    },
    project::Project,
    results::{Finding, FindingQuery, FindingSort, ResultHead},
};
use analysis::result_type::ResultType;
use chrono::{DateTime, Utc};
use std::sync::Arc;

pub struct ReadResults {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ResultsRequest {
    pub project: ProjectId,
    pub result_type: ResultType,
    pub keyword: Option<KeywordId>,
    pub url: Option<String>,
    /// In this place of each run alone.
    pub ordinal: Option<i64>,
    /// Measured at or after.
    pub from: Option<DateTime<Utc>>,
    /// Measured before.
    pub to: Option<DateTime<Utc>>,
    /// Of all runs, not only the newest.
    pub history: bool,
    pub page: PageRequest<FindingSort>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ProjectResults {
    pub project: Project,
    /// The newest run's head; `None` when the type was never measured.
    pub head: Option<ResultHead>,
    /// The unfinished job that will bring the type, when nothing is there yet.
    pub pending: Option<JobId>,
    pub findings: Page<Finding>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AllResults {
    pub project: Project,
    /// The heads of the types that were measured, each with its first records.
    pub heads: Vec<(ResultHead, Vec<Finding>)>,
    pub pending: Vec<(AnalysisKind, JobId)>,
}

impl ReadResults {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// One type; `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        request: &ResultsRequest,
    ) -> Result<Option<ProjectResults>, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(project) = read.projects().find(account, request.project).await? else {
            return Ok(None);
        };
        let head = read
            .results()
            .head(account, project.id, request.result_type)
            .await?;
        let Some(head) = head else {
            let kind = AnalysisKind::behind(request.result_type);
            let pending = pending(read.as_mut(), account, project.id).await?;
            let pending = pending
                .into_iter()
                .find_map(|(of, job)| (of == kind).then_some(job));
            return Ok(Some(ProjectResults {
                project,
                head: None,
                pending,
                findings: Page::empty(),
            }));
        };
        let findings = read
            .results()
            .findings(account, project.id, &query(request, head.job))
            .await?;
        Ok(Some(ProjectResults {
            project,
            head: Some(head),
            pending: None,
            findings,
        }))
    }

    /// All types, each with its first `top` records; `None` when the account has no such project.
    pub async fn all(
        &self,
        account: AccountId,
        project: ProjectId,
        top: u32,
    ) -> Result<Option<AllResults>, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(project) = read.projects().find(account, project).await? else {
            return Ok(None);
        };
        let heads = read.results().heads(account, project.id, top).await?;
        let pending = pending(read.as_mut(), account, project.id).await?;
        Ok(Some(AllResults {
            project,
            heads,
            pending,
        }))
    }
}

fn query(request: &ResultsRequest, newest: JobId) -> FindingQuery {
    FindingQuery {
        result_type: request.result_type,
        job: (!request.history).then_some(newest),
        keyword: request.keyword,
        url: request.url.clone(),
        ordinal: request.ordinal,
        from: request.from,
        to: request.to,
        page: request.page.clone(),
    }
}

/// The project's unfinished jobs; there are at most a handful, since equal ones are one.
async fn pending(
    read: &mut dyn Repositories,
    account: AccountId,
    project: ProjectId,
) -> Result<Vec<(AnalysisKind, JobId)>, StorageError> {
    let newest = PageRequest {
        sort: JobSort::CreatedAt,
        direction: Direction::Descending,
        after: None,
        limit: 20,
        counted: false,
        bytes: None,
    };
    let mut unfinished = Vec::new();
    let filter = JobFilter {
        project: Some(project),
        ..JobFilter::default()
    };
    for job in read.jobs().list(account, &filter, &newest).await?.items {
        if matches!(
            job.state.status(),
            JobStatus::Queued | JobStatus::Running | JobStatus::Retrying
        ) {
            unfinished.push((job.kind, job.id));
        }
    }
    Ok(unfinished)
}
