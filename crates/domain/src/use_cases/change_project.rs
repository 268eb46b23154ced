//! Changes a project by a merge patch, its status included.

use super::{end_attempt::cancel_unfinished, may_be_storage, places};
use crate::{
    account::Account,
    allowance::AllowanceExceeded,
    ids::{AccountId, ProjectId},
    ports::{
        clock::Clock,
        keywords::KeywordCounts,
        storage::{Storage, StorageError, Transaction, retrying},
    },
    project::{Project, ProjectPatch},
};
use std::sync::Arc;
use thiserror::Error;

/// Changes projects.
pub struct ChangeProject {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

/// Why a project is not changed.
#[derive(Debug, Error)]
pub enum ChangeProjectError {
    /// The account has no such project.
    #[error("there is no such project")]
    NoSuchProject,
    /// It is out of use, and the patch does not bring it back.
    #[error("the project is deactivated")]
    Deactivated,
    /// It cannot be brought back: another active project has its domain.
    #[error("another project monitors this domain")]
    Exists(ProjectId),
    /// It cannot be brought back: there is no room.
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    /// Breakage.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(ChangeProjectError);

impl ChangeProject {
    /// On this storage and clock.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// The project afterwards; unchanged, version included, when the patch says nothing new.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        patch: &ProjectPatch,
    ) -> Result<Project, ChangeProjectError> {
        retrying(|| self.once(account, project, patch)).await
    }

    async fn once(
        &self,
        account: AccountId,
        project: ProjectId,
        patch: &ProjectPatch,
    ) -> Result<Project, ChangeProjectError> {
        let mut work = self.storage.write().await?;
        let changes_status = patch.status.as_set().is_some();
        let account = hold(work.as_mut(), account, changes_status).await?;
        let before = work
            .projects()
            .lock(account.id, project)
            .await?
            .ok_or(ChangeProjectError::NoSuchProject)?;
        let after = before.patched(patch.clone(), self.clock.now());
        if after == before {
            return Ok(before);
        }
        self.apply(work.as_mut(), &account, &before, &after).await?;
        work.projects().save(&after).await?;
        work.commit().await?;
        Ok(after)
    }

    async fn apply(
        &self,
        work: &mut dyn Transaction,
        account: &Account,
        before: &Project,
        after: &Project,
    ) -> Result<(), ChangeProjectError> {
        match (before.is_active(), after.is_active()) {
            (true, true) => Ok(()),
            (true, false) => self.take_out(work, account, before).await,
            (false, true) => bring_back(work, account, before).await,
            (false, false) => Err(ChangeProjectError::Deactivated),
        }
    }

    async fn take_out(
        &self,
        work: &mut dyn Transaction,
        account: &Account,
        project: &Project,
    ) -> Result<(), ChangeProjectError> {
        let usage = places::return_project(account, counts_of(project));
        work.accounts().save_usage(account.id, usage).await?;
        let queue = work.jobs().lock_queue(account.id).await?;
        cancel_unfinished(work, &queue, project.id, self.clock.now()).await?;
        Ok(())
    }
}

/// The account; held together with its queue when a status may change. Account, queue, project,
/// job: that is the order in which all transactions take what they hold.
async fn hold(
    work: &mut dyn Transaction,
    account: AccountId,
    changes_status: bool,
) -> Result<Account, ChangeProjectError> {
    let account = if changes_status {
        let held = work.accounts().lock(account).await?;
        work.jobs().lock_queue(account).await?;
        held
    } else {
        work.accounts().find(account).await?
    };
    account.ok_or(ChangeProjectError::NoSuchProject)
}

async fn bring_back(
    work: &mut dyn Transaction,
    account: &Account,
    project: &Project,
) -> Result<(), ChangeProjectError> {
    if let Some(other) = work
        .projects()
        .active_with_domain(account.id, project.domain.ascii())
        .await?
    {
        return Err(ChangeProjectError::Exists(other));
    }
    let usage = places::take_project(account, counts_of(project))?;
    Ok(work.accounts().save_usage(account.id, usage).await?)
}

fn counts_of(project: &Project) -> KeywordCounts {
    KeywordCounts {
        active: project.keyword_count,
        ai_tracked: project.ai_tracked_count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{AccountLimits, AccountUsage},
        patch::Change,
        ports::jobs::AccountQueue,
        project::Status,
        test_support::{
            ACCOUNT, FakeStorage, FakeTransaction, FrozenClock, a_job, a_project, an_account,
        },
    };

    fn status(status: Status) -> ProjectPatch {
        ProjectPatch {
            status: Change::Set(status),
            ..ProjectPatch::default()
        }
    }

    fn queue() -> AccountQueue {
        AccountQueue {
            account: ACCOUNT,
            waiting: 0,
            running: 0,
            next_run_at: None,
            attention_at: None,
            virtual_time: 0.0,
        }
    }

    fn holding(account: Account, project: Project) -> impl FnOnce(&mut FakeTransaction) {
        move |work| {
            work.accounts
                .expect_lock()
                .return_once(|_| Ok(Some(account)));
            work.jobs.expect_lock_queue().returning(|_| Ok(queue()));
            work.projects
                .expect_lock()
                .return_once(|_, _| Ok(Some(project)));
        }
    }

    async fn change(
        storage: &Arc<FakeStorage>,
        patch: &ProjectPatch,
    ) -> Result<Project, ChangeProjectError> {
        let storage: Arc<dyn Storage> = Arc::<FakeStorage>::clone(storage);
        ChangeProject::new(storage, Arc::new(FrozenClock::default()))
            .run(ACCOUNT, a_project().id, patch)
            .await
    }

    #[tokio::test]
    async fn deactivating_gives_its_places_back_and_stops_its_jobs() {
        let account = Account {
            usage: AccountUsage {
                projects: 2,
                keywords: 9,
                ai_tracked: 3,
            },
            ..an_account()
        };
        let project = Project {
            keyword_count: 5,
            ai_tracked_count: 2,
            ..a_project()
        };
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            holding(account, project)(work);
            let left = AccountUsage {
                projects: 1,
                keywords: 4,
                ai_tracked: 1,
            };
            work.accounts
                .expect_save_usage()
                .withf(move |_, usage| *usage == left)
                .once()
                .returning(|_, _| Ok(()));
            work.jobs
                .expect_lock_unfinished()
                .return_once(|_, _| Ok(vec![a_job()]));
            work.jobs
                .expect_save()
                .withf(|job| job.state == crate::job::JobState::Canceled)
                .once()
                .returning(|_| Ok(()));
            work.measurements
                .expect_discard()
                .once()
                .returning(|_, _| Ok(()));
            work.spending
                .expect_settle()
                .once()
                .returning(|_, _, _, _| Ok(()));
            work.jobs
                .expect_refresh_queue()
                .once()
                .returning(|_, _| Ok(queue()));
            work.projects
                .expect_save()
                .withf(|it| it.status == Status::Deactivated)
                .once()
                .returning(|_| Ok(()));
        });
        change(&storage, &status(Status::Deactivated))
            .await
            .unwrap();
        assert_eq!(storage.commits(), 1);
    }

    #[tokio::test]
    async fn a_project_without_room_stays_out_of_use() {
        let account = Account {
            limits: AccountLimits {
                projects: 0,
                ..AccountLimits::default()
            },
            ..an_account()
        };
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            holding(
                account,
                a_project().deactivated(FrozenClock::default().now()),
            )(work);
            work.projects
                .expect_active_with_domain()
                .return_once(|_, _| Ok(None));
        });
        let outcome = change(&storage, &status(Status::Active)).await;
        assert!(matches!(outcome, Err(ChangeProjectError::Allowance(_))));
    }

    #[tokio::test]
    async fn a_deactivated_project_is_changed_only_by_bringing_it_back() {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            work.accounts
                .expect_find()
                .return_once(|_| Ok(Some(an_account())));
            work.projects.expect_lock().return_once(|_, _| {
                Ok(Some(a_project().deactivated(FrozenClock::default().now())))
            });
        });
        let patch = ProjectPatch {
            favorite: Change::Set(true),
            ..ProjectPatch::default()
        };
        assert!(matches!(
            change(&storage, &patch).await,
            Err(ChangeProjectError::Deactivated)
        ));
    }
}
