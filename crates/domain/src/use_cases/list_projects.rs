use crate::{
    ids::AccountId,
    page::{Page, PageRequest},
    ports::{
        projects::{ProjectFilter, ProjectSort},
        storage::{Storage, StorageError},
    },
    project::Project,
};
use std::sync::Arc;

pub struct ListProjects {
    storage: Arc<dyn Storage>,
}

impl ListProjects {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    pub async fn run(
        &self,
        account: AccountId,
        filter: &ProjectFilter,
        page: &PageRequest<ProjectSort>,
    ) -> Result<Page<Project>, StorageError> {
        self.storage
            .read()
            .await?
            .projects()
            .list(account, filter, page)
            .await
    }
}
