use crate::{WorkerContext, packing::unpacked};
use analysis::findings::site_changes::EarlierPage;
use analysis::observation::page_content::PageContent;
use analysis::observation::web_site::CrawlStep;
use async_trait::async_trait;
use domain::ids::{AccountId, ProjectId};
use domain::job::Job;
use domain::kept_pages::{KeptPage, Validators};
use domain::ports::site_reader::{EarlierPages, JournalError};
use domain::ports::storage::{Storage, StorageError};
use std::{collections::HashMap, sync::Arc};

const BATCH: u32 = 500;

pub(super) struct StoredPages {
    storage: Arc<dyn Storage>,
    account: AccountId,
    project: ProjectId,
}

impl StoredPages {
    pub(super) fn of(tools: &WorkerContext, job: &Job) -> Self {
        Self {
            storage: Arc::clone(&tools.core.storage),
            account: job.account,
            project: job.project,
        }
    }

    pub(super) async fn kept(
        &self,
        urls: &[String],
    ) -> Result<HashMap<String, KeptPage>, StorageError> {
        let mut read = self.storage.read().await?;
        let kept = read
            .pages()
            .find_by_urls(self.account, self.project, urls)
            .await?;
        Ok(kept.into_iter().map(|it| (it.url.clone(), it)).collect())
    }
}

pub(crate) fn earlier_page(kept: &KeptPage) -> Result<EarlierPage, StorageError> {
    const CORRUPT: StorageError = StorageError::Corrupt {
        subject: "a page that was kept",
    };
    Ok(EarlierPage {
        page: content(kept).ok_or(CORRUPT)?,
        memory: kept.memory.parse().map_err(|_| CORRUPT)?,
    })
}

fn content(kept: &KeptPage) -> Option<PageContent> {
    match unpacked(&kept.body) {
        Ok(CrawlStep::Page(page)) => Some(*page),
        _ => None,
    }
}

#[async_trait]
impl EarlierPages for StoredPages {
    async fn validators(
        &self,
        urls: &[String],
    ) -> Result<HashMap<String, Validators>, JournalError> {
        let mut read = self.storage.read().await.map_err(unavailable)?;
        let found = read
            .pages()
            .validators(self.account, self.project, urls)
            .await;
        Ok(found.map_err(unavailable)?.into_iter().collect())
    }

    async fn page(&self, url: &str) -> Result<Option<PageContent>, JournalError> {
        let kept = self.kept(&[url.to_owned()]).await.map_err(unavailable)?;
        // A page that cannot be decoded is fetched again.
        Ok(kept.get(url).and_then(content))
    }

    async fn urls(&self, behind: Option<String>) -> Result<Vec<String>, JournalError> {
        let mut read = self.storage.read().await.map_err(unavailable)?;
        let urls = read
            .pages()
            .urls(self.account, self.project, behind, BATCH)
            .await;
        urls.map_err(unavailable)
    }
}

fn unavailable(error: StorageError) -> JournalError {
    JournalError(error.into())
}
