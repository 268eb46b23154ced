use super::may_be_storage;
use crate::{
    ids::{AccountId, ProjectId},
    job::kind::AnalysisKind,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    schedule::{Rhythm, Schedule},
};
use std::sync::Arc;
use thiserror::Error;

pub struct SetSchedule {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Error)]
pub enum SetScheduleError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("this version does not run {}", .0.name())]
    NotBuilt(AnalysisKind),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(SetScheduleError);

impl SetSchedule {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// The schedule, with when it is due first. It takes the place of the one there was.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
        rhythm: Rhythm,
    ) -> Result<Schedule, SetScheduleError> {
        if !kind.is_built() {
            return Err(SetScheduleError::NotBuilt(kind));
        }
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let found = work.projects().lock(account, project).await?;
            if !found.is_some_and(|it| it.is_active()) {
                return Err(SetScheduleError::NoSuchProject);
            }
            let schedule = Schedule::begun(account, project, kind, rhythm, self.clock.now());
            work.schedules().set(&schedule).await?;
            work.commit().await?;
            Ok(schedule)
        })
        .await
    }
}
