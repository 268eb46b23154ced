//! Lists the pages that Search Console showed most, with their clicks day by day: counted over all
//! searches, also those that no row of searches names.

use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError},
    search_console::{About, choose},
};
use analysis::findings::suggestions::DayClicks;
use chrono::{Days, NaiveDate};
use std::{collections::HashMap, sync::Arc};

/// How many days clicks are summed up over.
const RECENT: u64 = 28;
/// How many days are told one by one.
const LONG: u64 = 182;
/// How far back imported rows are looked for.
const BACK: Days = Days::new(240);

pub struct ListConsolePages {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ConsolePage {
    pub url: String,
    /// Clicks of the last weeks, as of a month of 30 days.
    pub clicks_per_month: f64,
    /// Clicks of each day, where days are told one by one.
    pub days: Vec<DayClicks>,
}

impl ListConsolePages {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// As of a day, those that were shown most first, up to `limit`.
    #[expect(clippy::cast_precision_loss, reason = "clicks are far below 2^52")]
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        on: NaiveDate,
        limit: u32,
    ) -> Result<Vec<ConsolePage>, StorageError> {
        let mut read = self.storage.read().await?;
        let stored = { read.console_rows() }
            .spans(account, project, on - BACK)
            .await?;
        let Some(recent) = choose(&stored, About::Page, on, RECENT) else {
            return Ok(Vec::new());
        };
        let rows = { read.console_rows() }
            .most_shown(account, &recent.spans, limit)
            .await?;
        let urls: Vec<String> = rows.iter().filter_map(|it| it.page.clone()).collect();
        let mut days: HashMap<String, Vec<DayClicks>> = HashMap::new();
        let long = choose(&stored, About::Page, on, LONG);
        // A period told as a whole says nothing of its days.
        if let Some(long) = long.filter(|it| it.spans.len() as u64 > RECENT) {
            let told = { read.console_rows() }
                .page_days(account, &long.spans, &urls)
                .await?;
            for told in told {
                days.entry(told.page).or_default().push(DayClicks {
                    day: told.day,
                    clicks: told.clicks,
                });
            }
        }
        let month = 30.0 / recent.span.days() as f64;
        let pages = rows.into_iter().filter_map(|row| {
            let url = row.page?;
            Some(ConsolePage {
                days: days.remove(&url).unwrap_or_default(),
                clicks_per_month: row.clicks as f64 * month,
                url,
            })
        });
        Ok(pages.collect())
    }
}
