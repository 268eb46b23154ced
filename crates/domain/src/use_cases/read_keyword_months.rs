//! Reads what is known of a project's keywords in a month, from what is stored alone.

use crate::{
    ids::{AccountId, KeywordId, ProjectId},
    keyword_month::{CalendarMonth, KeywordMonth, put_together},
    page::{Page, PageRequest},
    ports::{
        clock::Clock,
        keywords::{KeywordFilter, KeywordSort},
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct ReadKeywordMonths {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

impl ReadKeywordMonths {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// One page of keywords; `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        month: CalendarMonth,
        filter: &KeywordFilter,
        page: &PageRequest<KeywordSort>,
    ) -> Result<Option<Page<KeywordMonth>>, StorageError> {
        let today = self.clock.now().date_naive();
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let keywords = read.keywords().list(account, project, filter, page).await?;
        let ids: Vec<KeywordId> = keywords.items.iter().map(|it| it.id).collect();
        let months = read.keyword_months();
        let courses = months.courses(account, project, &ids, month).await?;
        let tallies = months.tallies(account, project, &ids, month).await?;
        let volumes = months.search_volumes(account, project, &ids).await?;
        drop(read);
        let items = put_together(keywords.items, month, today, courses, tallies, &volumes);
        Ok(Some(Page {
            items,
            ends: keywords.ends,
            next: keywords.next,
            total: keywords.total,
        }))
    }
}
