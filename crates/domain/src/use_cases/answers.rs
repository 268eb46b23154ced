use super::Core;
use crate::ids::{AccountId, AnswerId, ProjectId};
use crate::kept_answers::{AnswerQuery, KeptAnswer};
use crate::ports::storage::StorageError;
use analysis::ai_answers::{self, EvaluatedAnswer};

pub const MAX_LISTED: u32 = 200;

/// An answer with its brand mentions and cited pages marked.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedAnswer {
    pub kept: KeptAnswer,
    /// Evaluation by the current brands and rules.
    pub evaluation: EvaluatedAnswer,
    /// Brand names, the project's first; `judged` refers to them by index.
    pub brands: Vec<String>,
}

impl Core {
    /// Newest first, at most [`MAX_LISTED`]; `None` if the account has no such project.
    pub async fn answers(
        &self,
        account: AccountId,
        project: ProjectId,
        query: &AnswerQuery,
    ) -> Result<Option<Vec<KeptAnswer>>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let query = AnswerQuery {
            limit: query.limit.min(MAX_LISTED),
            ..query.clone()
        };
        let answers = read.answers().list(account, project, &query).await?;
        Ok(Some(answers))
    }

    /// `None` if the project has no such answer, or it was purged.
    pub async fn answer(
        &self,
        account: AccountId,
        project: ProjectId,
        answer: AnswerId,
    ) -> Result<Option<MarkedAnswer>, StorageError> {
        let mut read = self.storage.read().await?;
        let found = read.projects().find(account, project).await?;
        let kept = read.answers().find(account, project, answer).await?;
        drop(read);
        let (Some(project), Some(kept)) = (found, kept) else {
            return Ok(None);
        };
        let book = self.project_brands(&project).await?.book;
        Ok(Some(MarkedAnswer {
            evaluation: ai_answers::evaluate(&kept.answer, &book),
            brands: (0..book.count())
                .map(|it| book.name(it).to_owned())
                .collect(),
            kept,
        }))
    }
}
