//! Changing a project: the stored outcome.

use super::*;
use crate::account::AccountUsage;
use crate::ids::JobId;
use crate::job::JobState;
use crate::money::MicroUsd;
use crate::ports::spending::{Counter, Spending};
use crate::test_support::fixtures::{account, job, keyword, project};
use crate::test_support::{ACCOUNT, MemoryStorage, a_job, a_project, core};

fn status(status: Status) -> ProjectPatch {
    ProjectPatch {
        status: Change::Set(status),
        ..ProjectPatch::default()
    }
}

async fn change(
    storage: &MemoryStorage,
    patch: &ProjectPatch,
) -> Result<Project, ChangeProjectError> {
    core(storage.port())
        .change_project(ACCOUNT, a_project().id, patch, None)
        .await
}

#[tokio::test]
async fn deactivating_a_project_releases_quota_and_stops_jobs() {
    let storage = MemoryStorage::default()
        .with(account().using(2, 9, 3))
        .with(project().counting(5, 2))
        .with(job(31).reserved(7));
    let reserved = Spending {
        reserved: MicroUsd(7),
        spent: MicroUsd(0),
    };
    storage.put(|state| {
        let counters = Counter::of(ACCOUNT, a_job().day);
        state.spending.extend(counters.map(|it| (it, reserved)));
    });
    change(&storage, &status(Status::Deactivated))
        .await
        .unwrap();
    let state = storage.state();
    let left = AccountUsage {
        projects: 1,
        keywords: 4,
        ai_tracked: 1,
    };
    assert_eq!(state.accounts[&ACCOUNT].usage, left);
    let project = &state.projects[&(ACCOUNT, a_project().id)];
    assert_eq!(project.status, Status::Deactivated);
    let job = &state.jobs[&(ACCOUNT, JobId(31))];
    assert_eq!(job.state, JobState::Canceled);
    assert_eq!(state.queues[&ACCOUNT].waiting, 0);
    assert!(state.spending.values().all(|it| *it == Spending::default()));
    assert_eq!(storage.commits(), 1);
}

#[tokio::test]
async fn a_project_without_quota_stays_deactivated() {
    let storage = MemoryStorage::default()
        .with(account().limited(|it| it.projects = 0))
        .with(project().deactivated());
    let before = storage.state();
    let outcome = change(&storage, &status(Status::Active)).await;
    assert!(matches!(outcome, Err(ChangeProjectError::Allowance(_))));
    assert_eq!(storage.state(), before);
}

#[tokio::test]
async fn a_deactivated_project_is_changed_only_by_reactivating_it() {
    let storage = MemoryStorage::default()
        .with(account())
        .with(project().deactivated());
    let before = storage.state();
    let patch = ProjectPatch {
        favorite: Change::Set(true),
        ..ProjectPatch::default()
    };
    assert!(matches!(
        change(&storage, &patch).await,
        Err(ChangeProjectError::Deactivated)
    ));
    assert_eq!(storage.state(), before);
}

#[tokio::test]
async fn a_project_past_its_purge_term_is_not_reactivated() {
    for (days, comes_back) in [(364, true), (365, false)] {
        let storage = MemoryStorage::default()
            .with(account())
            .with(project().counting(1, 0).deactivated_for(days))
            .with(keyword(21, "rust"));
        let outcome = change(&storage, &status(Status::Active)).await;
        match outcome {
            Ok(back) => assert!(comes_back && back.is_active(), "{days}"),
            Err(ChangeProjectError::NoSuchProject) => assert!(!comes_back, "{days}"),
            Err(error) => panic!("{error}"),
        }
    }
}
