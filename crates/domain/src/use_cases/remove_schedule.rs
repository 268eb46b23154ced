use crate::{
    ids::{AccountId, ProjectId},
    job::kind::AnalysisKind,
    ports::storage::{Storage, StorageError, retrying},
};
use std::sync::Arc;

pub struct RemoveSchedule {
    storage: Arc<dyn Storage>,
}

impl RemoveSchedule {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Whether there was one.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
    ) -> Result<bool, StorageError> {
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let removed = work.schedules().remove(account, project, kind).await?;
            work.commit().await?;
            Ok(removed)
        })
        .await
    }
}
