pub mod change;
pub mod create;

use super::Core;
use crate::ids::{AccountId, ProjectId};
use crate::job::Job;
use crate::page::{Direction, Page, PageRequest};
use crate::ports::jobs::{JobFilter, JobSort};
use crate::ports::projects::{ProjectFilter, ProjectSort};
use crate::ports::storage::StorageError;
use crate::project::Project;
use crate::results::{CarriedKind, Finding, ResultHead};
use analysis::{findings::rankings::ProjectSeries, result_type::ResultType};
use std::collections::HashMap;

/// A project with its newest results, time series and analyses.
#[derive(Debug)]
pub struct ProjectState {
    pub project: Project,
    /// Heads of measured types, each with its first records.
    pub heads: Vec<(ResultHead, Vec<Finding>)>,
    pub series: Option<ProjectSeries>,
    /// Newest first.
    pub jobs: Vec<Job>,
}

/// Projects with their newest results and time series.
#[derive(Debug)]
pub struct Portfolio {
    pub projects: Page<Project>,
    /// Newest results of the requested types.
    pub heads: HashMap<(ProjectId, ResultType), ResultHead>,
    /// Daily series; absent for projects never measured.
    pub series: HashMap<ProjectId, ProjectSeries>,
}

impl Core {
    /// `None` if the account has no such project.
    pub async fn project(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Project>, StorageError> {
        let mut read = self.storage.read().await?;
        read.projects().find(account, project).await
    }

    pub async fn projects(
        &self,
        account: AccountId,
        filter: &ProjectFilter,
        page: &PageRequest<ProjectSort>,
    ) -> Result<Page<Project>, StorageError> {
        let mut read = self.storage.read().await?;
        read.projects().list(account, filter, page).await
    }

    /// With the first `top` records of each type and the newest `jobs` analyses; `None` if the
    /// account has no such project.
    pub async fn project_state(
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
            .carried_over(account, project.id, CarriedKind::ProjectSeries)
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
            // An earlier version may have stored another format: then there is no series.
            series: left.and_then(|it| it.parse().ok()),
            project,
            heads,
            jobs,
        }))
    }

    /// The number of statements does not depend on the number of projects.
    pub async fn portfolio(
        &self,
        account: AccountId,
        filter: &ProjectFilter,
        page: &PageRequest<ProjectSort>,
        result_types: &[ResultType],
    ) -> Result<Portfolio, StorageError> {
        let mut read = self.storage.read().await?;
        let projects = read.projects().list(account, filter, page).await?;
        let ids: Vec<ProjectId> = projects.items.iter().map(|it| it.id).collect();
        if ids.is_empty() {
            return Ok(Portfolio {
                projects,
                heads: HashMap::new(),
                series: HashMap::new(),
            });
        }
        let heads = read
            .results()
            .heads_for_projects(account, &ids, result_types)
            .await?;
        let left = { read.results() }
            .carried_over_for_projects(account, &ids, CarriedKind::ProjectSeries)
            .await?;
        // An earlier version may have stored another format: then there is no series.
        let series = left
            .into_iter()
            .filter_map(|(project, it)| Some((project, it.parse().ok()?)));
        Ok(Portfolio {
            heads: heads
                .into_iter()
                .map(|it| ((it.project, it.result_type), it))
                .collect(),
            series: series.collect(),
            projects,
        })
    }
}
