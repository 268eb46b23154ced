//! Lists the answers of AI engines about a project, newest first.

use super::may_be_storage;
use crate::{
    ids::{AccountId, ProjectId},
    kept_answers::{AnswerQuery, KeptAnswer},
    ports::storage::{Storage, StorageError},
};
use std::sync::Arc;
use thiserror::Error;

pub const MOST_LISTED: u32 = 200;

pub struct ListAnswers {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Error)]
pub enum ListAnswersError {
    #[error("there is no such project")]
    NoSuchProject,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(ListAnswersError);

impl ListAnswers {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// As many as are wanted, [`MOST_LISTED`] at the most.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        query: &AnswerQuery,
    ) -> Result<Vec<KeptAnswer>, ListAnswersError> {
        let mut read = self.storage.read().await?;
        let found = read.projects().find(account, project).await?;
        found.ok_or(ListAnswersError::NoSuchProject)?;
        let query = AnswerQuery {
            limit: query.limit.min(MOST_LISTED),
            ..query.clone()
        };
        Ok(read.answers().list(account, project, &query).await?)
    }
}
