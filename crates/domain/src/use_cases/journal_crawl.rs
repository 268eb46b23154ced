//! Keeps the journal of a crawl, and reads it back after a crash.

use super::keep_leases::{GoOn, Hold, HoldError, go_on, held};
use crate::{
    job::{policy::QueuePolicy, progress::Progress},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    results::JournalEntry,
};
use std::sync::Arc;

/// How many entries are read at once. A page of a site is some 50 KB, and a hundred times that at the
/// most; what is read back takes several times its size.
const BATCH: u32 = 10;

pub struct JournalCrawl {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl JournalCrawl {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Entries, progress and a renewed lease in one transaction; nothing when the hold is over.
    pub async fn record(
        &self,
        hold: Hold,
        entries: &[JournalEntry],
        progress: &Progress,
    ) -> Result<GoOn, HoldError> {
        retrying(self.storage.as_ref(), || self.once(hold, entries, progress)).await
    }

    async fn once(
        &self,
        hold: Hold,
        entries: &[JournalEntry],
        progress: &Progress,
    ) -> Result<GoOn, HoldError> {
        let mut work = self.storage.write().await?;
        let job = held(work.as_mut(), hold).await?;
        let job = job.renewed(
            hold.epoch,
            Some(progress.clone()),
            self.clock.now(),
            &self.policy,
        )?;
        work.measurements()
            .record(job.account, job.id, entries)
            .await?;
        work.jobs().save(&job).await?;
        work.commit().await?;
        Ok(go_on(&job))
    }

    /// The next entries behind a place, in order; none at the end.
    pub async fn recorded(
        &self,
        hold: Hold,
        behind: Option<i64>,
    ) -> Result<Vec<JournalEntry>, StorageError> {
        let mut read = self.storage.read().await?;
        read.measurements()
            .recorded(hold.account, hold.job, behind, BATCH)
            .await
    }
}
