//! Reads a page of a project's keywords, each with what the newest rank check says of it.

use crate::{
    ids::{AccountId, KeywordId, ProjectId},
    keyword::Keyword,
    market::Market,
    page::{Page, PageRequest},
    ports::{
        keywords::{KeywordFilter, KeywordSort},
        storage::{Storage, StorageError},
    },
    project::Project,
    results::{Finding, ResultHead},
};
use analysis::result_type::ResultType;
use std::sync::Arc;

pub struct ReadKeywordBoard {
    storage: Arc<dyn Storage>,
}

#[derive(Debug)]
pub struct KeywordBoard {
    pub project: Project,
    pub keywords: Page<Keyword>,
    /// The market of most active keywords; `None` without active keywords.
    pub usual_market: Option<Market>,
    /// The newest rank check; `None` when there was none.
    pub head: Option<ResultHead>,
    /// Its records about these keywords, in no order.
    pub records: Vec<Finding>,
}

impl ReadKeywordBoard {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// One page; `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        filter: &KeywordFilter,
        page: &PageRequest<KeywordSort>,
    ) -> Result<Option<KeywordBoard>, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(project) = read.projects().find(account, project).await? else {
            return Ok(None);
        };
        let keywords = { read.keywords() }
            .list(account, project.id, filter, page)
            .await?;
        let usual_market = { read.keywords() }
            .usual_market(account, project.id)
            .await?;
        let rankings = ResultType::Rankings;
        let head = read.results().head(account, project.id, rankings).await?;
        let ids: Vec<KeywordId> = keywords.items.iter().map(|it| it.id).collect();
        let records = match &head {
            Some(head) if !ids.is_empty() => {
                { read.results() }
                    .about_keywords(account, project.id, (rankings, head.job), &ids)
                    .await?
            }
            _ => Vec::new(),
        };
        Ok(Some(KeywordBoard {
            project,
            keywords,
            usual_market,
            head,
            records,
        }))
    }
}
