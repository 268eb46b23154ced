//! Opens a search again: as it was shown, from what was stored, also when that is old by now.

use super::{
    read_research_quota::ReadResearchQuota,
    research_keyword::{Research, ResearchRequest},
    tracked_ideas::tracked,
};
use crate::{
    ids::{AccountId, ProjectId, SearchId, UserId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;
use thiserror::Error;

/// Opens searches again. No supplier is asked and no quota used.
pub struct ReopenSearch {
    storage: Arc<dyn Storage>,
    quota: ReadResearchQuota,
}

#[derive(Debug, Error)]
pub enum ReopenSearchError {
    #[error("no such search")]
    NoSuchSearch,
    #[error("no such project")]
    NoSuchProject,
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl ReopenSearch {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self {
            quota: ReadResearchQuota::new(Arc::clone(&storage), clock),
            storage,
        }
    }

    /// One of the person's own; the ideas that the project tracks now are told apart.
    pub async fn run(
        &self,
        account: AccountId,
        user: UserId,
        search: SearchId,
        project: Option<ProjectId>,
    ) -> Result<Research, ReopenSearchError> {
        let mut read = self.storage.read().await?;
        let found = read.research().search(account, user, search).await?;
        let found = found.ok_or(ReopenSearchError::NoSuchSearch)?;
        if let Some(project) = project {
            let known = read.projects().find(account, project).await?;
            known.ok_or(ReopenSearchError::NoSuchProject)?;
        }
        let request = ResearchRequest {
            account,
            user,
            subject: found.subject.clone(),
            project,
        };
        let tracked = tracked(read.as_mut(), &request, &found.kept.found).await?;
        drop(read);
        let quota = self.quota.run(account).await?;
        let quota = quota.ok_or(ReopenSearchError::NoSuchSearch)?;
        Ok(Research::of(found, true, quota, tracked))
    }
}
