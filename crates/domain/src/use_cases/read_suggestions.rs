use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError},
    results::FindingQuery,
};
use analysis::{findings::suggestions::SuggestionRecord, result_type::ResultType};
use std::sync::Arc;

const BATCH: u32 = 200;

pub struct ReadSuggestions {
    storage: Arc<dyn Storage>,
}

impl ReadSuggestions {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// All of them, in their order: the most worthwhile first.
    pub async fn run(
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
            let query = FindingQuery::in_order(OF, newest, behind, BATCH);
            let mut read = self.storage.read().await?;
            let page = read.results().findings(account, project, &query).await?;
            drop(read);
            for finding in &page.items {
                let record = finding.record.parse();
                records.push(record.map_err(|_| StorageError::Corrupt {
                    what: "a suggestion",
                })?);
            }
            behind = page.items.last().map(|it| it.ordinal);
            if page.items.len() < BATCH as usize {
                return Ok(records);
            }
        }
    }
}
