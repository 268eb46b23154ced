use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError},
    project::Project,
};
use std::sync::Arc;

pub struct ReadProject {
    storage: Arc<dyn Storage>,
}

impl ReadProject {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Project>, StorageError> {
        self.storage
            .read()
            .await?
            .projects()
            .find(account, project)
            .await
    }
}
