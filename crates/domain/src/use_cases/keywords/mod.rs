pub mod change;
pub mod save;
pub mod track;

use super::Core;
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::job::Job;
use crate::keyword::{Keyword, KeywordChoice};
use crate::keyword_month::{CalendarMonth, KeywordMonth, assemble};
use crate::market::Market;
use crate::page::{Page, PageRequest};
use crate::ports::keywords::{KeywordFilter, KeywordSort};
use crate::ports::storage::{Storage, StorageError};
use crate::project::Project;
use crate::results::{AsOf, Finding, KeywordHistory, ResultHead, SearchSource};
use analysis::{findings::rankings::OwnSearchData, result_type::ResultType};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Keywords of a rank check held in memory at once.
const BATCH: u32 = 200;
/// Texts read at once.
const TEXTS: u32 = 500;

/// A page of a project's keywords with the records of the newest rank check.
#[derive(Debug)]
pub struct KeywordBoard {
    pub project: Project,
    pub keywords: Page<Keyword>,
    /// The market of most active keywords; `None` without active keywords.
    pub usual_market: Option<Market>,
    /// The newest rank check, if any.
    pub head: Option<ResultHead>,
    /// Its records about these keywords, unordered.
    pub records: Vec<Finding>,
}

#[derive(Debug, Clone)]
pub struct KeywordTask {
    pub keyword: Keyword,
    pub history: KeywordHistory,
    /// Search Console data of the keyword, if it was queried.
    pub own: Option<OwnSearchData>,
}

#[derive(Debug, Clone, Default)]
pub struct KeywordBatch {
    /// Not yet measured by the job.
    pub tasks: Vec<KeywordTask>,
    /// Keywords of the batch that an earlier attempt measured.
    pub done: u64,
    /// Start of the next batch; `None` at the end.
    pub next: Option<KeywordId>,
}

/// Iterates over a project's active keywords in id order.
pub struct KeywordWalk<'a> {
    storage: &'a dyn Storage,
    account: AccountId,
    project: ProjectId,
    batch_size: u32,
    after: Option<KeywordId>,
    is_over: bool,
}

impl Core {
    /// `None` if the account has no such project.
    pub async fn keywords(
        &self,
        account: AccountId,
        project: ProjectId,
        filter: &KeywordFilter,
        page: &PageRequest<KeywordSort>,
    ) -> Result<Option<Page<Keyword>>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let page = read.keywords().list(account, project, filter, page).await?;
        Ok(Some(page))
    }

    /// `None` if the account has no such keyword.
    pub async fn keyword(
        &self,
        account: AccountId,
        keyword: KeywordId,
    ) -> Result<Option<Keyword>, StorageError> {
        let mut read = self.storage.read().await?;
        read.keywords().find(account, keyword).await
    }

    /// `None` if the account has no such project.
    pub async fn keyword_board(
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
                    .find_by_keywords(account, project.id, (rankings, head.job), &ids)
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

    /// Monthly figures for a page of keywords, from stored data only; `None` if the account has no such project.
    pub async fn keyword_months(
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
        let histories = months.ranks(account, project, &ids, month).await?;
        let tallies = months.tallies(account, project, &ids, month).await?;
        let volumes = months.search_volumes(account, project, &ids).await?;
        drop(read);
        let items = assemble(keywords.items, month, today, histories, tallies, &volumes);
        Ok(Some(Page {
            items,
            cursors: keywords.cursors,
            next: keywords.next,
            total: keywords.total,
        }))
    }

    /// Active keywords only.
    pub async fn keyword_texts(
        &self,
        account: AccountId,
        project: ProjectId,
        keywords: BTreeSet<KeywordId>,
    ) -> Result<HashMap<KeywordId, String>, StorageError> {
        let keywords: Vec<KeywordId> = keywords.into_iter().collect();
        let mut texts = HashMap::new();
        for part in keywords.chunks(TEXTS as usize) {
            let choice = KeywordChoice::Named(part.to_vec());
            let mut read = self.storage.read().await?;
            let found = { read.keywords() }
                .active_batch(account, project, &choice, None, TEXTS)
                .await?;
            drop(read);
            let named = found.into_iter();
            texts.extend(named.map(|it| (it.id, it.text.as_str().to_owned())));
        }
        Ok(texts)
    }

    pub fn walk_keywords(
        &self,
        account: AccountId,
        project: ProjectId,
        at_once: u32,
    ) -> KeywordWalk<'_> {
        KeywordWalk::new(self.storage.as_ref(), account, project, at_once)
    }

    /// Keywords that earlier attempts of the rank check measured.
    pub async fn measured_keywords(&self, job: &Job) -> Result<HashSet<KeywordId>, StorageError> {
        let mut read = self.storage.read().await?;
        let staged = read
            .measurements()
            .staged_keywords(job.account, job.id, ResultType::Rankings)
            .await?;
        Ok(staged.into_iter().collect())
    }

    /// The next keywords to measure after `after`, without those measured already; histories only
    /// contain that source.
    pub async fn next_keywords(
        &self,
        job: &Job,
        source: &SearchSource,
        measured: &HashSet<KeywordId>,
        after: Option<KeywordId>,
    ) -> Result<KeywordBatch, StorageError> {
        let mut read = self.storage.read().await?;
        let batch = read
            .keywords()
            .active_batch(job.account, job.project, &job.keywords, after, BATCH)
            .await?;
        let is_last = batch.len() < BATCH as usize;
        let next = batch.last().map(|keyword| keyword.id).filter(|_| !is_last);
        let (done, to_do): (Vec<_>, Vec<_>) =
            batch.into_iter().partition(|it| measured.contains(&it.id));

        let ids: Vec<KeywordId> = to_do.iter().map(|keyword| keyword.id).collect();
        let as_of = AsOf::of(job, source.clone());
        let histories = read
            .measurements()
            .histories(job.account, job.project, &ids, &as_of)
            .await?;
        let tasks = to_do
            .into_iter()
            .zip(histories)
            .map(|(keyword, history)| KeywordTask {
                keyword,
                history,
                own: None,
            });
        Ok(KeywordBatch {
            tasks: tasks.collect(),
            done: done.len() as u64,
            next,
        })
    }
}

impl<'a> KeywordWalk<'a> {
    pub(super) fn new(
        storage: &'a dyn Storage,
        account: AccountId,
        project: ProjectId,
        at_once: u32,
    ) -> Self {
        Self {
            storage,
            account,
            project,
            batch_size: at_once,
            after: None,
            is_over: false,
        }
    }

    /// The next batch; `None` at the end. Holds no connection between calls.
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
                self.batch_size,
            )
            .await?;
        self.after = keywords.last().map(|it| it.id);
        self.is_over = keywords.len() < self.batch_size as usize;
        Ok((!keywords.is_empty()).then_some(keywords))
    }
}
