//! Change project: the decisions, against mocked ports.

use super::*;
use crate::{
    account::{AccountLimits, AccountUsage},
    job::{Job, line::AccountQueue},
    money::MicroUsd,
    ports::{clock::Clock, spending::Counter},
    test_support::{
        ACCOUNT, FakeStorage, FakeTransaction, FrozenClock, a_job, a_project, an_account, core,
    },
};
use std::sync::Arc;

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
        next_short_run_at: None,
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
    core(storage.clone())
        .change_project(ACCOUNT, a_project().id, patch, None)
        .await
}

fn with_money_set_aside() -> Job {
    let mut job = a_job();
    job.cost.reserved = MicroUsd(7);
    job
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
            .return_once(|_, _| Ok(vec![with_money_set_aside()]));
        work.jobs
            .expect_save()
            .withf(|job| job.state == crate::job::JobState::Canceled)
            .once()
            .returning(|_| Ok(()));
        work.measurements
            .expect_discard()
            .once()
            .returning(|_, _| Ok(()));
        work.results
            .expect_discard_copied()
            .once()
            .returning(|_, _, _| Ok(()));
        let job = with_money_set_aside();
        for counter in Counter::of(job.account, job.day) {
            work.spending
                .expect_settle()
                .withf(move |it, reserved, spent| (*it, reserved.0, spent.0) == (counter, 7, 0))
                .once()
                .returning(|_, _, _| Ok(()));
        }
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
        work.projects
            .expect_lock()
            .return_once(|_, _| Ok(Some(a_project().deactivated(FrozenClock::default().now()))));
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

#[tokio::test]
async fn a_project_whose_term_is_over_is_not_brought_back() {
    let now = FrozenClock::default().now();
    for (days, comes_back) in [(364, true), (365, false)] {
        let gone = a_project().deactivated(now - chrono::TimeDelta::days(days));
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            holding(an_account(), gone)(work);
            work.projects
                .expect_active_with_domain()
                .returning(|_, _| Ok(None));
            work.accounts.expect_save_usage().returning(|_, _| Ok(()));
            work.projects.expect_save().returning(|_| Ok(()));
        });
        let outcome = change(&storage, &status(Status::Active)).await;
        match outcome {
            Ok(back) => assert!(comes_back && back.is_active(), "{days}"),
            Err(ChangeProjectError::NoSuchProject) => assert!(!comes_back, "{days}"),
            Err(error) => panic!("{error}"),
        }
    }
}
