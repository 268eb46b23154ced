use super::{may_be_storage, read_suggestions::ReadSuggestions};
use crate::{
    ids::{AccountId, ProjectId},
    owners_words::{IgnoreReason, IgnoredSuggestion},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
};
use std::sync::Arc;
use thiserror::Error;

/// A project ignores no more suggestions.
pub const MOST_IGNORED: usize = 2_000;

pub struct IgnoreSuggestion {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Error)]
pub enum IgnoreSuggestionError {
    #[error("there is no such active project")]
    NoSuchProject,
    /// The project's newest suggestions have none of that id.
    #[error("there is no such suggestion")]
    NoSuchSuggestion,
    #[error("a project ignores at most {MOST_IGNORED} suggestions")]
    TooMany,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(IgnoreSuggestionError);

impl IgnoreSuggestion {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// From the next analysis on its records say so, until it is taken up again.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        id: &str,
        reason: Option<IgnoreReason>,
    ) -> Result<(), IgnoreSuggestionError> {
        let known = ReadSuggestions::new(Arc::clone(&self.storage));
        let known = known.run(account, project).await?;
        if known.iter().all(|it| it.suggestion_id != id) {
            return Err(IgnoreSuggestionError::NoSuchSuggestion);
        }
        let suggestion = IgnoredSuggestion {
            id: id.to_owned(),
            reason: reason.map(|it| it.as_str().to_owned()),
            ignored_at: self.clock.now(),
        };
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let found = work.projects().lock(account, project).await?;
            if !found.is_some_and(|it| it.is_active()) {
                return Err(IgnoreSuggestionError::NoSuchProject);
            }
            let ignored = work.owners_words().ignored(account, project).await?;
            let is_new = ignored.iter().all(|it| it.id != id);
            if is_new && ignored.len() >= MOST_IGNORED {
                return Err(IgnoreSuggestionError::TooMany);
            }
            work.owners_words()
                .ignore(account, project, &suggestion)
                .await?;
            work.commit().await?;
            Ok(())
        })
        .await
    }
}
