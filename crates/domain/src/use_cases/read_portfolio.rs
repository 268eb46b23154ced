//! Reads an account's projects with where they stand, in as many statements for a page as for one project.

use crate::{
    ids::{AccountId, ProjectId},
    page::{Page, PageRequest},
    ports::{
        projects::{ProjectFilter, ProjectSort},
        storage::{Storage, StorageError},
    },
    project::Project,
    results::ResultHead,
};
use analysis::{findings::rankings::ProjectSeries, result_type::ResultType};
use std::{collections::HashMap, sync::Arc};

pub struct ReadPortfolio {
    storage: Arc<dyn Storage>,
}

#[derive(Debug)]
pub struct Portfolio {
    pub projects: Page<Project>,
    /// The newest results of the types that were asked for.
    pub heads: HashMap<(ProjectId, ResultType), ResultHead>,
    /// What they came to day by day; none of a project that was never measured.
    pub series: HashMap<ProjectId, ProjectSeries>,
}

impl ReadPortfolio {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    pub async fn run(
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
        let heads = read.results().heads_of(account, &ids, result_types).await?;
        let left = { read.results() }
            .carried_of(account, &ids, ResultType::Forecast)
            .await?;
        // What an earlier version left behind may be of another form: then there is no line.
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
