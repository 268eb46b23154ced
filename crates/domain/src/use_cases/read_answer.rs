//! Reads one answer of an AI engine, with marks on the brands that it names and the pages it cites.

use super::know_brands::KnowBrands;
use crate::{
    ids::{AccountId, AnswerId, ProjectId},
    kept_answers::KeptAnswer,
    ports::storage::{Storage, StorageError},
};
use analysis::ai_answers::{self, JudgedAnswer};
use std::sync::Arc;

pub struct ReadAnswer {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct MarkedAnswer {
    pub kept: KeptAnswer,
    /// What it says, by the brands and rules of today.
    pub judged: JudgedAnswer,
    /// The names of the brands, the project's first: `judged` numbers them.
    pub brands: Vec<String>,
}

impl ReadAnswer {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// `None` when the account's project has no such answer, or it was kept long enough.
    pub async fn run(
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
        let known = KnowBrands::new(Arc::clone(&self.storage))
            .run(&project)
            .await?;
        let book = &known.book;
        Ok(Some(MarkedAnswer {
            judged: ai_answers::judge(&kept.answer, book),
            brands: (0..book.count())
                .map(|it| book.name(it).to_owned())
                .collect(),
            kept,
        }))
    }
}
