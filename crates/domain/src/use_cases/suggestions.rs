use super::{Core, impl_as_storage_error};
use crate::ids::{AccountId, ProjectId};
use crate::ports::storage::{StorageError, Transaction};
use crate::project_overrides::{IgnoreReason, IgnoredSuggestion};
use crate::results::FindingQuery;
use analysis::{findings::suggestions::SuggestionRecord, result_type::ResultType};
use thiserror::Error;

const BATCH: u32 = 200;
/// Maximum ignored suggestions per project.
pub const MAX_IGNORED: usize = 2_000;

#[derive(Debug, Error)]
pub enum SuggestionError {
    #[error("there is no such active project")]
    NoSuchProject,
    /// The project's newest suggestions do not include that id.
    #[error("there is no such suggestion")]
    NoSuchSuggestion,
    #[error("a project ignores at most {MAX_IGNORED} suggestions")]
    TooMany,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(SuggestionError);

impl Core {
    /// All, in their order: highest value first.
    pub async fn suggestions(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<SuggestionRecord>, StorageError> {
        const OF: ResultType = ResultType::Suggestions;
        let mut read = self.storage.read().await?;
        let head = read.results().head(account, project, OF).await?;
        drop(read);
        let Some(newest) = head.map(|it| it.job) else {
            return Ok(Vec::new());
        };
        let mut records = Vec::new();
        let mut behind = None;
        loop {
            let query = FindingQuery::by_ordinal(OF, newest, behind, BATCH);
            let mut read = self.storage.read().await?;
            let page = read.results().findings(account, project, &query).await?;
            drop(read);
            for finding in &page.items {
                let record = finding.record.parse();
                records.push(record.map_err(|_| StorageError::Corrupt {
                    subject: "a suggestion",
                })?);
            }
            behind = page.items.last().map(|it| it.ordinal);
            if page.items.len() < BATCH as usize {
                return Ok(records);
            }
        }
    }

    /// In id order.
    pub async fn ignored_suggestions(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<IgnoredSuggestion>, StorageError> {
        let mut read = self.storage.read().await?;
        read.project_overrides()
            .ignored_suggestions(account, project)
            .await
    }

    /// Takes effect in records from the next analysis on, until it is undone.
    pub async fn ignore_suggestion(
        &self,
        account: AccountId,
        project: ProjectId,
        id: &str,
        reason: Option<IgnoreReason>,
    ) -> Result<(), SuggestionError> {
        let known = self.suggestions(account, project).await?;
        if known.iter().all(|it| it.suggestion_id != id) {
            return Err(SuggestionError::NoSuchSuggestion);
        }
        let suggestion = &IgnoredSuggestion {
            id: id.to_owned(),
            reason: reason.map(|it| it.as_str().to_owned()),
            ignored_at: self.clock.now(),
        };
        let ignore = |mut work: Box<dyn Transaction>| async move {
            let found = work.projects().lock(account, project).await?;
            if !found.is_some_and(|it| it.is_active()) {
                return Err(SuggestionError::NoSuchProject);
            }
            let words = work.project_overrides();
            let ignored = words.ignored_suggestions(account, project).await?;
            let is_new = ignored.iter().all(|it| it.id != id);
            if is_new && ignored.len() >= MAX_IGNORED {
                return Err(SuggestionError::TooMany);
            }
            words
                .ignore_suggestion(account, project, suggestion)
                .await?;
            Ok(work.commit().await?)
        };
        self.storage.transaction(ignore).await
    }

    /// Returns whether it was ignored.
    pub async fn unignore_suggestion(
        &self,
        account: AccountId,
        project: ProjectId,
        id: &str,
    ) -> Result<bool, StorageError> {
        let take_up = |mut work: Box<dyn Transaction>| async move {
            let was_ignored = work
                .project_overrides()
                .unignore_suggestion(account, project, id)
                .await?;
            work.commit().await?;
            Ok(was_ignored)
        };
        self.storage.transaction(take_up).await
    }
}
