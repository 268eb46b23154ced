use super::Core;
use crate::ids::{AccountId, AnswerId, ProjectId};
use crate::kept_answers::{AnswerQuery, KeptAnswer};
use crate::ports::storage::StorageError;
use analysis::ai_answers::{self, JudgedAnswer};

pub const MOST_LISTED: u32 = 200;

/// An answer with its brand mentions and cited pages marked.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedAnswer {
    pub kept: KeptAnswer,
    /// Evaluation by the current brands and rules.
    pub judged: JudgedAnswer,
    /// Brand names, the project's first; `judged` refers to them by index.
    pub brands: Vec<String>,
}

impl Core {
    /// Newest first, at most [`MOST_LISTED`]; `None` if the account has no such project.
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
            limit: query.limit.min(MOST_LISTED),
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
        let book = self.known_brands(&project).await?.book;
        Ok(Some(MarkedAnswer {
            judged: ai_answers::judge(&kept.answer, &book),
            brands: (0..book.count())
                .map(|it| book.name(it).to_owned())
                .collect(),
            kept,
        }))
    }
}
