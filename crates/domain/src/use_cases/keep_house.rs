//! Keeps house: makes room for the months to come, and forgets what is too old to be kept.

use crate::{
    ids::AccountId,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
};
use analysis::result_type::ResultType;
use chrono::{DateTime, Days, Months, NaiveDate, Utc};
use std::sync::Arc;

/// Records of these types are large and tell of one day alone; what follows from them over time
/// stands elsewhere.
const OF_A_DAY: [ResultType; 2] = [ResultType::Serp, ResultType::Forecast];

/// How many imports of Search Console are forgotten in one transaction.
const IMPORTS: u32 = 20;

/// How long things are kept; `None` keeps them for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Where keywords stood, in months.
    pub ranks: Option<u32>,
    /// Search pages and forecasts of earlier runs, in days.
    pub pages: Option<u32>,
    /// Rows of Search Console, in months.
    pub console: Option<u32>,
}

impl Default for Retention {
    /// Three years and a month, so that a year can be told beside the two before; a quarter; as long as
    /// Search Console itself.
    fn default() -> Self {
        Self {
            ranks: Some(37),
            pages: Some(92),
            console: Some(16),
        }
    }
}

/// Keeps house.
pub struct KeepHouse {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    retention: Retention,
}

impl KeepHouse {
    /// On this storage and clock.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, retention: Retention) -> Self {
        Self {
            storage,
            clock,
            retention,
        }
    }

    /// Any number of workers may do it at the same time, and as often as they like.
    pub async fn run(&self) -> Result<(), StorageError> {
        let now = self.clock.now();
        let today = now.date_naive();
        let since = self.retention.ranks.map(|it| today - Months::new(it));
        let pages = self.retention.pages.map(|it| now - Days::new(it.into()));
        let console = self.retention.console.map(|it| today - Months::new(it));
        self.storage.tend(today, since).await?;
        let accounts = self.storage.read().await?.accounts().list().await?;
        for (account, _) in accounts {
            if let Some(before) = since {
                self.forget_points(account.id, before).await?;
            }
            for (before, of) in pages.into_iter().flat_map(|it| OF_A_DAY.map(|of| (it, of))) {
                self.forget_findings(account.id, of, before).await?;
            }
            if let Some(before) = console {
                self.forget_console_rows(account.id, before).await?;
            }
        }
        Ok(())
    }

    async fn forget_points(&self, of: AccountId, before: NaiveDate) -> Result<(), StorageError> {
        let mut after = None;
        loop {
            after = retrying(|| async {
                let mut work = self.storage.write().await?;
                let last = work.measurements().forget_points(of, before, after).await?;
                work.commit().await?;
                Ok::<_, StorageError>(last)
            })
            .await?;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    async fn forget_console_rows(
        &self,
        of: AccountId,
        before: NaiveDate,
    ) -> Result<(), StorageError> {
        loop {
            let forgotten = retrying(|| async {
                let mut work = self.storage.write().await?;
                let forgotten = work.console_rows().forget(of, before, IMPORTS).await?;
                work.commit().await?;
                Ok::<_, StorageError>(forgotten)
            })
            .await?;
            if forgotten < IMPORTS.into() {
                return Ok(());
            }
        }
    }

    async fn forget_findings(
        &self,
        of: AccountId,
        result_type: ResultType,
        before: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let mut after = None;
        loop {
            after = retrying(|| async {
                let mut work = self.storage.write().await?;
                let last = work
                    .measurements()
                    .forget_findings(of, result_type, before, after)
                    .await?;
                work.commit().await?;
                Ok::<_, StorageError>(last)
            })
            .await?;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}
