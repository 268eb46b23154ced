//! Starts what is due. Any number of workers may do it at the same time.

use super::request_analysis::{AnalysisRequest, RequestAnalysis, RequestAnalysisError, Tick};
use crate::{
    ai_models::ModelChoice,
    ids::AccountId,
    job::{JobPriority, Trigger},
    keyword::KeywordChoice,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    schedule::Schedule,
};
use std::sync::Arc;

/// How many accounts and schedules one look takes at the most; the next one goes on.
const AT_ONCE: u32 = 50;

pub struct FireSchedules {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    request: RequestAnalysis,
}

impl FireSchedules {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, request: RequestAnalysis) -> Self {
        Self {
            storage,
            clock,
            request,
        }
    }

    /// The schedules that were fired, as they stand afterwards.
    pub async fn run(&self) -> Result<Vec<Schedule>, StorageError> {
        let now = self.clock.now();
        let accounts = self
            .storage
            .read()
            .await?
            .schedules()
            .accounts_due(now, AT_ONCE)
            .await?;
        let mut fired = Vec::new();
        for account in accounts {
            fired.extend(self.of(account).await?);
        }
        Ok(fired)
    }

    async fn of(&self, account: AccountId) -> Result<Vec<Schedule>, StorageError> {
        let now = self.clock.now();
        let due = self
            .storage
            .read()
            .await?
            .schedules()
            .due(account, now, AT_ONCE)
            .await?;
        let mut fired = Vec::new();
        for before in due {
            let after = before.fired(now, None);
            let tick = Tick { before, after };
            match self
                .request
                .run_scheduled(&request(&tick.before), &tick)
                .await
            {
                Ok(Some(_)) => fired.push(tick.after),
                Ok(None) => {}
                Err(RequestAnalysisError::Storage(error)) => return Err(error),
                Err(refusal) => fired.extend(self.refused(&tick, &refusal).await?),
            }
        }
        Ok(fired)
    }

    /// A refusal is noted where the owner sees it, and the next tick tries again.
    async fn refused(
        &self,
        tick: &Tick,
        refusal: &RequestAnalysisError,
    ) -> Result<Option<Schedule>, StorageError> {
        let after = Schedule {
            last_refusal: Some(refusal.to_string()),
            ..tick.after.clone()
        };
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let moved = work.schedules().advance(&tick.before, &after).await?;
            work.commit().await?;
            Ok::<_, StorageError>(moved.then(|| after.clone()))
        })
        .await
    }
}

fn request(schedule: &Schedule) -> AnalysisRequest {
    AnalysisRequest {
        project: schedule.project,
        kind: schedule.kind,
        keywords: KeywordChoice::All,
        models: ModelChoice::All,
        // Whoever asks by hand waits for it.
        priority: JobPriority::Low,
        trigger: Trigger::Schedule,
    }
}
