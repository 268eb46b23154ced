//! Pages stored between runs.

use super::state::{InProject, State, VisitedPageRow, remove_oldest};
use super::{Session, Stored};
use crate::ids::{AccountId, JobId, ProjectId};
use crate::kept_pages::{KeptPage, StagedPage, Validators};
use crate::ports::kept_pages::PageRepository;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

impl State {
    /// With the content in the job's journal, or else the stored content.
    pub(super) fn publish_page(
        &mut self,
        key: (AccountId, ProjectId, String),
        job: JobId,
        of: StagedPage,
    ) {
        let known = self.pages.get(&key);
        let (body, validators) = match of.content {
            Some(content) => {
                let recorded = self.journal.get(&(key.0, job, content.entry)).cloned();
                let body = recorded.or_else(|| known.map(|it| it.page.body.clone()));
                (body, content.validators)
            }
            None => (
                known.map(|it| it.page.body.clone()),
                known.map(|it| it.validators.clone()).unwrap_or_default(),
            ),
        };
        if let Some(body) = body {
            let (url, memory) = (of.url, of.memory);
            let page = VisitedPageRow {
                page: KeptPage { url, body, memory },
                validators,
                visited_at: of.visited_at,
            };
            self.pages.insert(key, page);
        }
    }
}

/// Stored pages among these.
fn some<'s>(
    pages: &'s InProject<String, VisitedPageRow>,
    account: AccountId,
    project: ProjectId,
    urls: &'s [String],
) -> impl Iterator<Item = &'s VisitedPageRow> {
    urls.iter()
        .filter_map(move |it| pages.get(&(account, project, it.clone())))
}

#[async_trait]
impl PageRepository for Session {
    async fn stage(&mut self, account: AccountId, job: JobId, pages: &[StagedPage]) -> Stored<()> {
        self.change(|state| {
            let pages = pages
                .iter()
                .map(|it| ((account, job, it.url.clone()), it.clone()));
            state.staged_pages.extend(pages);
            Ok(())
        })
    }

    async fn find_by_urls(
        &mut self,
        account: AccountId,
        project: ProjectId,
        urls: &[String],
    ) -> Stored<Vec<KeptPage>> {
        self.query(|state| {
            let pages = some(&state.pages, account, project, urls);
            pages.map(|it| it.page.clone()).collect()
        })
    }

    async fn validators(
        &mut self,
        account: AccountId,
        project: ProjectId,
        urls: &[String],
    ) -> Stored<Vec<(String, Validators)>> {
        self.query(|state| {
            let pages = some(&state.pages, account, project, urls);
            let with_validators = pages.filter(|it| !it.validators.is_empty());
            with_validators
                .map(|it| (it.page.url.clone(), it.validators.clone()))
                .collect()
        })
    }

    async fn urls(
        &mut self,
        account: AccountId,
        project: ProjectId,
        behind: Option<String>,
        limit: u32,
    ) -> Stored<Vec<String>> {
        self.query(|state| {
            let urls = state
                .pages
                .keys()
                .filter(|it| (it.0, it.1) == (account, project));
            let next = urls
                .map(|it| it.2.clone())
                .filter(|it| Some(it) > behind.as_ref());
            next.take(limit as usize).collect()
        })
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        project: ProjectId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let is_over = |key: &(AccountId, ProjectId, _), it: &VisitedPageRow| {
                (key.0, key.1) == (account, project) && it.visited_at < before
            };
            let age = |it: &VisitedPageRow| it.visited_at;
            Ok(remove_oldest(&mut state.pages, limit, is_over, age))
        })
    }
}
