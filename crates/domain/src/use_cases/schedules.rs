use super::request_analysis::{AnalysisRequest, RequestAnalysisError, ScheduleFiring};
use super::{Core, impl_as_storage_error};
use crate::ai_models::ModelChoice;
use crate::ids::{AccountId, ProjectId};
use crate::job::kind::AnalysisKind;
use crate::job::{JobPriority, Trigger};
use crate::keyword::KeywordChoice;
use crate::ports::storage::{StorageError, Transaction};
use crate::schedule::{Recurrence, Schedule};
use chrono::TimeDelta;
use thiserror::Error;

/// Until a run is tried again that a full queue refused.
const FULL_QUEUE_DELAY: TimeDelta = TimeDelta::minutes(10);
/// Maximum accounts and schedules per round; the next round continues.
const AT_ONCE: u32 = 50;

#[derive(Debug, Error)]
pub enum ScheduleError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("this version does not run {}", .0.name())]
    NotBuilt(AnalysisKind),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(ScheduleError);

impl Core {
    /// In the order of projects and kinds.
    pub async fn schedules(&self, account: AccountId) -> Result<Vec<Schedule>, StorageError> {
        self.storage.read().await?.schedules().list(account).await
    }

    /// Replaces an existing schedule; returns the new one with its first firing.
    pub async fn set_schedule(
        &self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
        rhythm: Recurrence,
    ) -> Result<Schedule, ScheduleError> {
        if !kind.is_implemented() {
            return Err(ScheduleError::NotBuilt(kind));
        }
        let set = |mut work: Box<dyn Transaction>, now| async move {
            let found = work.projects().lock(account, project).await?;
            if !found.is_some_and(|it| it.is_active()) {
                return Err(ScheduleError::NoSuchProject);
            }
            let schedule = Schedule::new(account, project, kind, rhythm, now);
            work.schedules().set(&schedule).await?;
            work.commit().await?;
            Ok(schedule)
        };
        self.transaction_with_time(set).await
    }

    /// Returns whether one existed.
    pub async fn remove_schedule(
        &self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
    ) -> Result<bool, StorageError> {
        let remove = |mut work: Box<dyn Transaction>| async move {
            let removed = work.schedules().remove(account, project, kind).await?;
            work.commit().await?;
            Ok(removed)
        };
        self.storage.transaction(remove).await
    }

    /// Fires due schedules; safe to run in several workers at once. Returns the fired schedules in their new state.
    pub async fn fire_schedules(&self) -> Result<Vec<Schedule>, StorageError> {
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let accounts = read.schedules().accounts_due(now, AT_ONCE).await?;
        drop(read);
        let mut fired = Vec::new();
        for account in accounts {
            fired.extend(self.fire_schedules_of(account).await?);
        }
        Ok(fired)
    }

    async fn fire_schedules_of(&self, account: AccountId) -> Result<Vec<Schedule>, StorageError> {
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let due = read.schedules().due(account, now, AT_ONCE).await?;
        drop(read);
        let mut fired = Vec::new();
        for before in due {
            let after = before.fired(now, None);
            let firing = ScheduleFiring { before, after };
            match self
                .request_scheduled(&request(&firing.before), &firing)
                .await
            {
                Ok(Some(_)) => fired.push(firing.after),
                Ok(None) => {}
                Err(RequestAnalysisError::Storage(error)) => return Err(error),
                Err(refusal) => fired.extend(self.note_refusal(&firing, &refusal).await?),
            }
        }
        Ok(fired)
    }

    /// Records the refusal for the owner; the next firing tries again, and one that a full queue refused soon.
    async fn note_refusal(
        &self,
        firing: &ScheduleFiring,
        refusal: &RequestAnalysisError,
    ) -> Result<Option<Schedule>, StorageError> {
        let mut after = Schedule {
            last_refusal: Some(refusal.to_string()),
            ..firing.after.clone()
        };
        if let RequestAnalysisError::AccountQueueFull { .. }
        | RequestAnalysisError::ServerQueueFull = refusal
        {
            after.next_at = after.next_at.min(self.clock.now() + FULL_QUEUE_DELAY);
        }
        let after = &after;
        let note = |mut work: Box<dyn Transaction>| async move {
            let moved = work.schedules().advance(&firing.before, after).await?;
            work.commit().await?;
            Ok(moved.then(|| after.clone()))
        };
        self.storage.transaction(note).await
    }
}

fn request(schedule: &Schedule) -> AnalysisRequest {
    AnalysisRequest {
        project: schedule.project,
        kind: schedule.kind,
        keywords: KeywordChoice::All,
        models: ModelChoice::All,
        // Requests by users go first.
        priority: JobPriority::Low,
        trigger: Trigger::Schedule,
    }
}
