use crate::{
    ids::{AccountId, KeywordId, ProjectId},
    keyword::{Keyword, KeywordChoice},
    ports::storage::{Storage, StorageError},
};

/// A walk over the active keywords of a project, in the order of their ids.
pub struct WalkKeywords<'a> {
    storage: &'a dyn Storage,
    account: AccountId,
    project: ProjectId,
    at_once: u32,
    after: Option<KeywordId>,
    is_over: bool,
}

impl<'a> WalkKeywords<'a> {
    pub fn new(
        storage: &'a dyn Storage,
        account: AccountId,
        project: ProjectId,
        at_once: u32,
    ) -> Self {
        Self {
            storage,
            account,
            project,
            at_once,
            after: None,
            is_over: false,
        }
    }

    /// The next ones; `None` at the end. No connection is held between two calls.
    pub async fn next(&mut self) -> Result<Option<Vec<Keyword>>, StorageError> {
        if self.is_over {
            return Ok(None);
        }
        let mut read = self.storage.read().await?;
        let keywords = read
            .keywords()
            .active_batch(
                self.account,
                self.project,
                &KeywordChoice::All,
                self.after,
                self.at_once,
            )
            .await?;
        self.after = keywords.last().map(|it| it.id);
        self.is_over = keywords.len() < self.at_once as usize;
        Ok((!keywords.is_empty()).then_some(keywords))
    }
}
