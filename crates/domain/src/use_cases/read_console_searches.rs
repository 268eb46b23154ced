//! Reads what was searched for when the site was shown, summed up over days.

use crate::{
    ids::{AccountId, ProjectId},
    page::{Page, PageRequest},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
    search_console::{About, PeriodRows, RowSum, Span, choose, within},
};
use chrono::Days;
use std::sync::Arc;

/// How many days are summed up when nobody says which.
const USUAL: u64 = 28;
/// How far back imported rows are looked for.
const BACK: Days = Days::new(240);

pub struct ReadConsoleSearches {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ConsoleSearches {
    /// What they rest on; `None` when nothing was imported for these days.
    pub basis: Option<PeriodRows>,
    /// A page of them; without pages where only searches were imported.
    pub sums: Page<RowSum>,
}

impl ReadConsoleSearches {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Most shown first; the newest weeks when no days are named. `None` when the account has no such project.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        period: Option<Span>,
        page: &PageRequest<()>,
    ) -> Result<Option<ConsoleSearches>, StorageError> {
        let today = self.clock.now().date_naive();
        let since = period.map_or(today - BACK, |it| it.first);
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let stored = read.console_rows().spans(account, project, since).await?;
        let about = |about| match period {
            Some(period) => within(&stored, about, period),
            None => choose(&stored, about, today, USUAL).map(|it| PeriodRows {
                cut: it.cut,
                span: it.span,
                days: it.span.days().unsigned_abs(),
                spans: it.spans,
            }),
        };
        let Some(basis) = about(About::QueryAndPage).or_else(|| about(About::Query)) else {
            return Ok(Some(ConsoleSearches {
                basis: None,
                sums: Page::empty(),
            }));
        };
        let sums = { read.console_rows() }
            .shown(account, &basis.spans, page)
            .await?;
        Ok(Some(ConsoleSearches {
            basis: Some(basis),
            sums,
        }))
    }
}
