//! Keeps the journal of a crawl, and reads it back after a crash.

use super::keep_lease::{GoOn, Hold, HoldError, go_on, held};
use crate::{
    job::{policy::QueuePolicy, progress::Progress},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    results::JournalEntry,
};
use std::sync::Arc;

/// How many entries are read at once.
const BATCH: u32 = 500;

/// Journals crawls.
pub struct JournalCrawl {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl JournalCrawl {
    /// On this storage and clock, with these limits.
    #[must_use]
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
        retrying(|| self.once(hold, entries, progress)).await
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

    /// What earlier attempts recorded, in order.
    pub async fn recorded(&self, hold: Hold) -> Result<Vec<JournalEntry>, StorageError> {
        let mut entries: Vec<JournalEntry> = Vec::new();
        loop {
            let after = entries.last().map(|entry| entry.sequence);
            let mut read = self.storage.read().await?;
            let batch = read
                .measurements()
                .recorded(hold.account, hold.job, after, BATCH)
                .await?;
            let is_last = batch.len() < BATCH as usize;
            entries.extend(batch);
            if is_last {
                return Ok(entries);
            }
        }
    }
}
