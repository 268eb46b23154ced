//! Reads what was counted of an engine's answers over months, as much as trends need of it.

use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError},
};
use analysis::findings::{ai_trends::TallyFold, ai_visibility::PromptTally};
use chrono::NaiveDate;
use std::sync::Arc;

/// How many rows are held in memory at once beside what they come to.
const BATCH: u32 = 500;

pub struct ReadTallies {
    storage: Arc<dyn Storage>,
}

impl ReadTallies {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Those since a day, folded into weeks: what is held grows with prompts and weeks, not with runs.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        engine: &str,
        since: NaiveDate,
        fold: TallyFold,
    ) -> Result<Vec<PromptTally>, StorageError> {
        let (mut fold, mut after) = (fold, None);
        loop {
            let mut read = self.storage.read().await?;
            let rows = read
                .answers()
                .tallies(account, project, engine, since, after, BATCH)
                .await?;
            drop(read);
            let is_last = rows.len() < BATCH as usize;
            for row in rows {
                after = Some(row.place());
                for tally in row.tallies {
                    fold.add(tally);
                }
            }
            if is_last {
                return Ok(fold.finish());
            }
        }
    }
}
