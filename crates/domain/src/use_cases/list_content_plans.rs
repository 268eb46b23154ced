use crate::{
    content_plan::PlanSummary,
    ids::{AccountId, ProjectId},
    page::{Page, PageRequest},
    ports::{
        content_plans::ContentPlanSort,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct ListContentPlans {
    storage: Arc<dyn Storage>,
}

impl ListContentPlans {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// One page; `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        page: &PageRequest<ContentPlanSort>,
    ) -> Result<Option<Page<PlanSummary>>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let page = read.content_plans().list(account, project, page).await?;
        Ok(Some(page))
    }
}
