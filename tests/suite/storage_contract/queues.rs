//! Queue rows of accounts.

use super::examples::*;
use domain::{
    account::{Account, AccountStatus},
    ids::{AccountId, JobId, ProjectId},
    job::{Job, JobState, Lease, account_queue::AccountQueue, kind::AnalysisKind, slots::SlotKind},
    ports::storage::StorageError,
};
use harness::{databases::TestStorage, on_every_storage};
use std::{sync::Arc, time::Duration};

on_every_storage![
    a_queue_is_created_by_its_first_lock,
    each_account_has_its_own_queue,
    refreshing_a_queue_recounts_its_jobs,
    due_accounts_come_least_served_first_below_the_cap,
    a_slot_for_short_jobs_finds_accounts_that_have_one,
    accounts_with_running_jobs_are_listed,
    accounts_need_attention_once_their_time_has_come,
    queue_figures_report_load_and_next_run,
    account_queue_and_project_are_locked_together;
    but not in memory:
    waiter_sees_the_account_after_the_lock = "nobody waits for a lock: the second to commit is interrupted",
    no_job_is_taken_twice_by_many_workers = "nobody waits for a lock: the second to commit is interrupted",
];

fn empty(account: AccountId) -> AccountQueue {
    AccountQueue {
        account,
        waiting: 0,
        running: 0,
        next_run_at: None,
        next_short_run_at: None,
        attention_at: None,
        virtual_time: 0.0,
    }
}

async fn a_queue_is_created_by_its_first_lock(db: TestStorage) {
    two_accounts(&db).await;
    let locked = change!(db, tx => tx.jobs().lock_queue(ANN).await.unwrap());
    assert_eq!(locked, empty(ANN));
    let tried = change!(db, tx => tx.jobs().try_lock_queue(BOB).await.unwrap());
    assert_eq!(tried, None, "an account without a queue has no jobs");
    let again = change!(db, tx => tx.jobs().try_lock_queue(ANN).await.unwrap());
    assert_eq!(again, Some(empty(ANN)));
}

async fn each_account_has_its_own_queue(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let lines = [(ANN, 1.5), (BOB, 2.5)].map(|(account, virtual_time)| AccountQueue {
        virtual_time,
        ..empty(account)
    });
    change!(db, tx => for line in &lines {
        tx.jobs().lock_queue(line.account).await.unwrap();
        tx.jobs().save_queue(line).await.unwrap();
    });
    for line in lines {
        let account = line.account;
        let locked = change!(db, tx => tx.jobs().lock_queue(account).await.unwrap());
        let tried = change!(db, tx => tx.jobs().try_lock_queue(account).await.unwrap());
        let beside =
            change!(db, tx => tx.jobs().lock_queue_and_jobs(account, &[JobId(31)]).await.unwrap());
        assert_eq!(
            (&locked, tried.as_ref(), &beside.0),
            (&line, Some(&line), &line)
        );
        assert_eq!(beside.1, [job(account, 31)]);
    }
}

async fn refreshing_a_queue_recounts_its_jobs(db: TestStorage) {
    two_accounts(&db).await;
    let lease = |until| {
        Some(Lease {
            epoch: 1,
            owner: "w".into(),
            until,
        })
    };
    for example in [
        Job {
            run_at: after(30),
            expires_at: after(300),
            ..job(ANN, 1)
        },
        Job {
            run_at: after(20),
            expires_at: after(400),
            state: JobState::RetryWait,
            kind: AnalysisKind::SiteAudit,
            ..job(ANN, 2)
        },
        Job {
            run_at: after(1),
            cancel_requested: true,
            expires_at: after(900),
            ..job(ANN, 3)
        },
        Job {
            state: JobState::Running,
            lease: lease(after(45)),
            deadline_at: Some(after(40)),
            ..job(ANN, 4)
        },
        Job {
            state: JobState::Succeeded,
            run_at: after(0),
            expires_at: after(2),
            ..job(ANN, 5)
        },
    ] {
        add_job(&db, &example).await;
    }
    let refreshed = change!(db, tx => tx.jobs().refresh_queue(ANN, 2.5).await.unwrap());
    let expected = AccountQueue {
        account: ANN,
        waiting: 3,
        running: 1,
        next_run_at: Some(after(20)),
        next_short_run_at: Some(after(30)),
        attention_at: Some(after(40)),
        virtual_time: 2.5,
    };
    assert_eq!(refreshed, expected);
    assert_eq!(
        change!(db, tx => tx.jobs().lock_queue(ANN).await.unwrap()),
        expected
    );
    let other = change!(db, tx => tx.jobs().refresh_queue(BOB, 1.0).await.unwrap());
    assert_eq!(
        other,
        AccountQueue {
            virtual_time: 1.0,
            ..empty(BOB)
        }
    );
}

async fn due_accounts_come_least_served_first_below_the_cap(db: TestStorage) {
    two_accounts_at_work(&db).await;
    change!(db, tx => {
        tx.accounts().add(&account(AccountId(3)), &owner(AccountId(3))).await.unwrap();
        tx.projects().add(&project(AccountId(3), 11)).await.unwrap();
        tx.jobs().add(&Job { run_at: after(5), ..job(AccountId(3), 1) }).await.unwrap();
        tx.jobs().add(&Job { state: JobState::Running, ..job(BOB, 32) }).await.unwrap();
    });
    for (id, time) in [(ANN, 9.0), (BOB, 3.0), (AccountId(3), 1.0)] {
        change!(db, tx => tx.jobs().refresh_queue(id, time).await.unwrap());
    }
    for (moment, cap, limit, expected) in [
        (now(), 2, 10, vec![BOB, ANN]),
        (now(), 1, 10, vec![ANN]),
        (now() - tick(), 2, 10, vec![]),
        (after(5), 2, 10, vec![AccountId(3), BOB, ANN]),
        (after(5), 2, 1, vec![AccountId(3)]),
    ] {
        let found = read!(db, r => r.jobs().accounts_with_due_jobs(SlotKind::AnyJob, moment, cap, limit).await.unwrap());
        let ids: Vec<AccountId> = found.iter().map(|it| it.account).collect();
        assert_eq!(ids, expected, "{moment} {cap} {limit}");
    }
}

async fn a_slot_for_short_jobs_finds_accounts_that_have_one(db: TestStorage) {
    two_accounts(&db).await;
    let audit = |account, id| Job {
        kind: AnalysisKind::SiteAudit,
        ..job(account, id)
    };
    let late = Job {
        run_at: after(5),
        ..job(BOB, 2)
    };
    for example in [audit(ANN, 1), audit(BOB, 1), late] {
        add_job(&db, &example).await;
    }
    for account in [ANN, BOB] {
        change!(db, tx => tx.jobs().refresh_queue(account, 0.0).await.unwrap());
    }
    for (takes, moment, expected) in [
        (SlotKind::AnyJob, now(), vec![ANN, BOB]),
        (SlotKind::ShortJobs, after(4), vec![]),
        (SlotKind::ShortJobs, after(5), vec![BOB]),
    ] {
        let found =
            read!(db, r => r.jobs().accounts_with_due_jobs(takes, moment, 4, 9).await.unwrap());
        let ids: Vec<AccountId> = found.iter().map(|it| it.account).collect();
        assert_eq!(ids, expected, "{takes:?} {moment}");
    }
}

async fn accounts_with_running_jobs_are_listed(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let running = Job {
        state: JobState::Running,
        lease: Some(Lease {
            epoch: 1,
            owner: "w".into(),
            until: after(45),
        }),
        ..job(BOB, 32)
    };
    add_job(&db, &running).await;
    for account in [ANN, BOB] {
        change!(db, tx => tx.jobs().refresh_queue(account, 0.0).await.unwrap());
    }
    read!(db, r => {
        for (behind, expected) in [(None, vec![BOB]), (Some(ANN), vec![BOB]), (Some(BOB), vec![])] {
            let found = r.jobs().accounts_with_running_jobs(behind, 9).await.unwrap();
            assert_eq!(found, expected, "{behind:?}");
        }
        for (since, expected) in [(after(44), true), (after(45), false)] {
            let found = r.jobs().has_live_workers(since).await.unwrap();
            assert_eq!(found, expected, "{since}");
        }
    });
}

async fn accounts_need_attention_once_their_time_has_come(db: TestStorage) {
    two_accounts_at_work(&db).await;
    change!(db, tx => {
        tx.jobs().save(&Job { expires_at: after(10), ..job(ANN, 31) }).await.unwrap();
        tx.jobs().refresh_queue(ANN, 0.0).await.unwrap();
    });
    change!(db, tx => tx.jobs().refresh_queue(BOB, 0.0).await.unwrap());
    read!(db, r => {
        let early = r.jobs().accounts_needing_attention(after(10) - tick(), 10).await.unwrap();
        assert_eq!(early, []);
        assert_eq!(r.jobs().accounts_needing_attention(after(10), 10).await.unwrap(), [ANN]);
    });
}

async fn queue_figures_report_load_and_next_run(db: TestStorage) {
    read!(db, r => {
        let figures = r.jobs().queue_figures().await.unwrap();
        assert_eq!(figures.unfinished(), 0);
        assert!(figures.min_virtual_time.abs() < f64::EPSILON);
        assert_eq!(r.jobs().next_run_at().await.unwrap(), None);
    });
    two_accounts_at_work(&db).await;
    add_job(
        &db,
        &Job {
            state: JobState::Running,
            ..job(ANN, 32)
        },
    )
    .await;
    change!(db, tx => tx.jobs().refresh_queue(ANN, 8.0).await.unwrap());
    change!(db, tx => tx.jobs().refresh_queue(BOB, 4.0).await.unwrap());
    read!(db, r => {
        let figures = r.jobs().queue_figures().await.unwrap();
        assert_eq!(figures.unfinished(), 3);
        assert!((figures.min_virtual_time - 4.0).abs() < f64::EPSILON);
        assert_eq!(r.jobs().next_run_at().await.unwrap(), Some(now()));
    });
}

async fn account_queue_and_project_are_locked_together(db: TestStorage) {
    two_accounts(&db).await;
    let nowhere = ProjectId(99);
    let found =
        change!(db, tx => tx.jobs().lock_newcomer_with_project(ANN, nowhere).await.unwrap());
    assert_eq!(found, None);
    let line = change!(db, tx => tx.jobs().try_lock_queue(ANN).await.unwrap());
    assert_eq!(line, None, "a request without a project creates no queue");
    let line = AccountQueue {
        virtual_time: 2.5,
        ..empty(ANN)
    };
    for is_newcomer in [true, false] {
        let before = if is_newcomer { empty(ANN) } else { line };
        let (_, has_line) = read!(db, r => r.jobs().queue_figures_for(ANN).await.unwrap());
        assert_eq!(has_line, !is_newcomer);
        let found = change!(db, tx => {
            let jobs = tx.jobs();
            let found = jobs.lock_with_project(ANN, SHOP).await.unwrap();
            if is_newcomer {
                assert_eq!(found, None, "it has no line");
                let found = jobs.lock_newcomer_with_project(ANN, SHOP).await.unwrap();
                jobs.add_queue(&line).await.unwrap();
                found.map(|(found, shop)| (found, before, shop))
            } else {
                jobs.save_queue(&line).await.unwrap();
                found
            }
        });
        let (found, found_line, shop) = found.unwrap();
        assert_eq!((found.id, shop), (ANN, project(ANN, 11)));
        assert_eq!(found_line, before);
    }
    let (_, has_line) = read!(db, r => r.jobs().queue_figures_for(BOB).await.unwrap());
    assert!(!has_line, "it is another's");
    let mut late = db.storage.write().await.unwrap();
    let refused = late.jobs().add_queue(&empty(ANN)).await;
    assert!(
        matches!(refused, Err(StorageError::Interrupted(_))),
        "{refused:?}"
    );
    drop(late);
    let found = change!(db, tx => tx.jobs().lock_with_project(ANN, nowhere).await.unwrap());
    assert_eq!(found, None);
}

async fn waiter_sees_the_account_after_the_lock(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.jobs().lock_queue(ANN).await.unwrap());
    let mut first = db.storage.write().await.unwrap();
    let locked = first.accounts().lock(ANN).await.unwrap().unwrap();
    let storage = db.port();
    let second = tokio::spawn(async move {
        let mut tx = storage.write().await.unwrap();
        tx.jobs().lock_with_project(ANN, SHOP).await.unwrap()
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let off = Account {
        status: AccountStatus::Disabled,
        ..locked
    };
    first.accounts().save(&off).await.unwrap();
    first.jobs().lock_queue(ANN).await.unwrap();
    let line = AccountQueue {
        virtual_time: 4.0,
        ..empty(ANN)
    };
    first.jobs().save_queue(&line).await.unwrap();
    first.commit().await.unwrap();
    let (account, found, _) = second.await.unwrap().unwrap();
    assert_eq!((account.status, found), (AccountStatus::Disabled, line));
}

async fn no_job_is_taken_twice_by_many_workers(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => for id in 1..=40 {
        tx.jobs().add(&job(ANN, id)).await.unwrap();
    });
    let storage = db.port();
    let worker = || {
        let storage = Arc::clone(&storage);
        tokio::spawn(async move {
            let mut taken = vec![];
            loop {
                let mut tx = storage.write().await.unwrap();
                let Some(next) = tx
                    .jobs()
                    .lock_due(ANN, SlotKind::AnyJob, now(), 1)
                    .await
                    .unwrap()
                    .pop()
                else {
                    return taken;
                };
                taken.push(next.id.0);
                tx.jobs()
                    .save(&Job {
                        state: JobState::Running,
                        ..next
                    })
                    .await
                    .unwrap();
                tx.commit().await.unwrap();
            }
        })
    };
    let workers: Vec<_> = (0..6).map(|_| worker()).collect();
    let mut taken = vec![];
    for worker in workers {
        taken.extend(worker.await.unwrap());
    }
    taken.sort_unstable();
    assert_eq!(taken, (1..=40).collect::<Vec<i64>>());
}
