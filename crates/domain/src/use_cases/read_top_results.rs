//! Reads which pages the newest rank check found first for some keywords.

use crate::{
    ids::{AccountId, KeywordId, ProjectId},
    ports::storage::{Storage, StorageError},
    results::{Finding, ResultHead},
};
use analysis::result_type::ResultType;
use std::sync::Arc;

pub struct ReadTopResults {
    storage: Arc<dyn Storage>,
}

#[derive(Debug)]
pub struct TopResults {
    /// The newest rank check; `None` when there was none.
    pub head: Option<ResultHead>,
    /// Its records about these keywords, in no order.
    pub records: Vec<Finding>,
}

impl ReadTopResults {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Those of these keywords; `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
    ) -> Result<Option<TopResults>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let serp = ResultType::Serp;
        let head = read.results().head(account, project, serp).await?;
        let records = match &head {
            Some(head) => {
                { read.results() }
                    .about_keywords(account, project, (serp, head.job), keywords)
                    .await?
            }
            None => Vec::new(),
        };
        Ok(Some(TopResults { head, records }))
    }
}
