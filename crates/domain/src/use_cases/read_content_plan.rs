use crate::{
    content_plan::ContentPlan,
    ids::{AccountId, ContentPlanId, ProjectId},
    ports::storage::{Storage, StorageError},
};
use std::sync::Arc;

pub struct ReadContentPlan {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FoundPlan {
    NoProject,
    NoPlan,
    Plan(Box<ContentPlan>),
}

impl ReadContentPlan {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// A plan of the project, in use or not.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Result<FoundPlan, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(FoundPlan::NoProject);
        }
        let found = read.content_plans().find(account, project, plan).await?;
        Ok(found.map_or(FoundPlan::NoPlan, |it| FoundPlan::Plan(Box::new(it))))
    }
}
