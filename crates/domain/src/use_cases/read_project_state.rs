//! Reads one project with where it stands: its newest results, its course, its analyses.

use crate::{
    ids::{AccountId, ProjectId},
    job::Job,
    page::{Direction, PageRequest},
    ports::{
        jobs::{JobFilter, JobSort},
        storage::{Storage, StorageError},
    },
    project::Project,
    results::{Finding, ResultHead},
};
use analysis::{findings::rankings::ProjectSeries, result_type::ResultType};
use std::sync::Arc;

pub struct ReadProjectState {
    storage: Arc<dyn Storage>,
}

#[derive(Debug)]
pub struct ProjectState {
    pub project: Project,
    /// The heads of the types that were measured, each with its first records.
    pub heads: Vec<(ResultHead, Vec<Finding>)>,
    pub series: Option<ProjectSeries>,
    /// Its newest analyses, newest first.
    pub jobs: Vec<Job>,
}

impl ReadProjectState {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// The first `top` records of each type, the newest `jobs` analyses; `None` when the account has no such
    /// project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        top: u32,
        jobs: u32,
    ) -> Result<Option<ProjectState>, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(project) = read.projects().find(account, project).await? else {
            return Ok(None);
        };
        let heads = read.results().heads(account, project.id, top).await?;
        let left = { read.results() }
            .carried(account, project.id, ResultType::Forecast)
            .await?;
        let filter = JobFilter {
            project: Some(project.id),
            ..JobFilter::default()
        };
        let newest = PageRequest {
            sort: JobSort::CreatedAt,
            direction: Direction::Descending,
            after: None,
            limit: jobs,
            counted: false,
            bytes: None,
        };
        let jobs = read.jobs().list(account, &filter, &newest).await?.items;
        Ok(Some(ProjectState {
            // What an earlier version left behind may be of another form: then there is no line.
            series: left.and_then(|it| it.parse().ok()),
            project,
            heads,
            jobs,
        }))
    }
}
