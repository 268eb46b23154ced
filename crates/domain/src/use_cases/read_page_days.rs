//! Reads what Search Console tells of some pages, day by day, over all searches.

use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError},
    search_console::{About, PageDay, choose},
};
use chrono::{Days, NaiveDate};
use std::sync::Arc;

/// How many days are looked at: two months before and after something was mended.
const LONG: u64 = 120;
/// How far back imported rows are looked for.
const BACK: Days = Days::new(160);

pub struct ReadPageDays {
    storage: Arc<dyn Storage>,
}

impl ReadPageDays {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// As of a day, in no order; days on which a page was not among those told are left out. Nothing
    /// where only a period as a whole is known.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        on: NaiveDate,
        pages: &[String],
    ) -> Result<Vec<PageDay>, StorageError> {
        if pages.is_empty() {
            return Ok(Vec::new());
        }
        let mut read = self.storage.read().await?;
        let stored = { read.console_rows() }
            .spans(account, project, on - BACK)
            .await?;
        let basis = choose(&stored, About::Page, on, LONG);
        match basis.filter(|it| it.spans.len() > 1) {
            None => Ok(Vec::new()),
            Some(basis) => {
                let rows = read.console_rows();
                rows.page_days(account, &basis.spans, pages).await
            }
        }
    }
}
