use super::{Core, may_be_storage};
use crate::{
    ids::{AccountId, ProjectId},
    job::kind::AnalysisKind,
    ports::storage::{StorageError, Transaction},
    schedule::{Rhythm, Schedule},
};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ScheduleError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("this version does not run {}", .0.name())]
    NotBuilt(AnalysisKind),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(ScheduleError);

impl Core {
    /// The account's, in the order of projects and kinds.
    pub async fn schedules(&self, account: AccountId) -> Result<Vec<Schedule>, StorageError> {
        self.storage.read().await?.schedules().list(account).await
    }

    /// The schedule, with when it is due first. It takes the place of the one there was.
    pub async fn set_schedule(
        &self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
        rhythm: Rhythm,
    ) -> Result<Schedule, ScheduleError> {
        if !kind.is_built() {
            return Err(ScheduleError::NotBuilt(kind));
        }
        let set = |mut work: Box<dyn Transaction>| async move {
            let found = work.projects().lock(account, project).await?;
            if !found.is_some_and(|it| it.is_active()) {
                return Err(ScheduleError::NoSuchProject);
            }
            let schedule = Schedule::begun(account, project, kind, rhythm, self.clock.now());
            work.schedules().set(&schedule).await?;
            work.commit().await?;
            Ok(schedule)
        };
        self.storage.transaction(set).await
    }

    /// Whether there was one.
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
}
