//! Lists the rows of Search Console that say most: searches with the pages that were shown, summed
//! up over the last weeks. Evidence of suggestions names these rows.

use crate::{
    ids::{AccountId, KeywordId, ProjectId},
    keyword::KeywordChoice,
    ports::storage::{Storage, StorageError},
    search_console::{About, choose},
};
use analysis::{
    findings::suggestions::{ConsoleRow, ImportedSource},
    keyword_text::normalised,
};
use chrono::{Days, NaiveDate, NaiveTime};
use std::{collections::HashMap, sync::Arc};

/// How many days rows are summed up over.
const RECENT: u64 = 28;
/// How far back imported rows are looked for.
const BACK: Days = Days::new(240);
/// How many keywords are read at once.
const BATCH: u32 = 1_000;

pub struct ListConsoleRows {
    storage: Arc<dyn Storage>,
}

impl ListConsoleRows {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// As of a day, those that were shown most first, up to `limit`.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        on: NaiveDate,
        limit: u32,
    ) -> Result<Vec<ConsoleRow>, StorageError> {
        let mut read = self.storage.read().await?;
        let stored = { read.console_rows() }
            .spans(account, project, on - BACK)
            .await?;
        let Some(basis) = choose(&stored, About::QueryAndPage, on, RECENT) else {
            return Ok(Vec::new());
        };
        let rows = { read.console_rows() }
            .most_shown(account, &basis.spans, limit)
            .await?;
        drop(read);
        let keywords = self.keywords(account, project).await?;
        let measured_at = { basis.span.last + Days::new(1) }
            .and_time(NaiveTime::MIN)
            .and_utc()
            .min(basis.imported_at);
        let rows = rows.into_iter().filter_map(|row| {
            let position = row.position()?;
            let (keyword, url) = row.query.zip(row.page)?;
            Some(ConsoleRow {
                source: ImportedSource::SearchConsole,
                keyword_id: keywords.get(&normalised(&keyword)).copied(),
                keyword,
                url,
                from: basis.span.first,
                to: basis.span.last,
                clicks: row.clicks,
                impressions: row.impressions,
                position,
                measured_at,
            })
        });
        Ok(rows.collect())
    }

    /// Tracked keywords by how they are compared; of several markets the first.
    async fn keywords(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<HashMap<String, i64>, StorageError> {
        let mut known = HashMap::new();
        let mut after: Option<KeywordId> = None;
        loop {
            let mut read = self.storage.read().await?;
            let batch = { read.keywords() }
                .active_batch(account, project, &KeywordChoice::All, after, BATCH)
                .await?;
            after = batch.last().map(|it| it.id);
            let is_last = batch.len() < BATCH as usize;
            for keyword in batch {
                let text = keyword.text.normalized().to_owned();
                known.entry(text).or_insert(keyword.id.0);
            }
            if is_last {
                return Ok(known);
            }
        }
    }
}
