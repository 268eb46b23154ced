//! Figures over all accounts, for operators.

use super::examples::*;
use domain::{
    account::{Account, AccountLimits, AccountStatus, AccountUsage},
    email::EmailAddress,
    ids::DeliveryId,
    job::{Job, JobError, JobState, Lease, account_queue::AccountQueue},
    mail::{Delivery, DeliveryState, Message},
    money::MicroUsd,
    ports::{
        server_figures::{LimitFigures, MailFigures, QueueLimitFigures, WorkerFigures},
        spending::Counter,
    },
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    workers_are_listed_with_their_latest_lease,
    failures_are_those_of_all_accounts_since_then_newest_first,
    deliveries_are_counted_by_state,
    accounts_at_a_limit_are_counted,
    queues_at_a_limit_are_counted,
];

fn running(account: domain::ids::AccountId, id: i64, worker: &str, seconds: i64) -> Job {
    Job {
        state: JobState::Running,
        lease: Some(Lease {
            epoch: 1,
            owner: worker.to_owned(),
            until: after(seconds),
        }),
        ..job(account, id)
    }
}

async fn workers_are_listed_with_their_latest_lease(db: TestStorage) {
    two_accounts_at_work(&db).await;
    assert_eq!(
        read!(db, r => r.server_figures().workers(9).await.unwrap()),
        []
    );
    for job in [
        running(ANN, 32, "worker-b", 5),
        running(ANN, 33, "worker-a", 7),
        running(BOB, 32, "worker-b", 9),
    ] {
        add_job(&db, &job).await;
    }
    let worker = |name: &str, jobs, seconds| WorkerFigures {
        name: name.to_owned(),
        jobs,
        lease_until: after(seconds),
    };
    let all = [worker("worker-a", 1, 7), worker("worker-b", 2, 9)];
    assert_eq!(
        read!(db, r => r.server_figures().workers(9).await.unwrap()),
        all
    );
    assert_eq!(
        read!(db, r => r.server_figures().workers(1).await.unwrap()),
        all[..1]
    );
}

fn failed(account: domain::ids::AccountId, id: i64, codes: &[&str], seconds: i64) -> Job {
    let error = |code: &&str| JobError {
        code: (*code).to_owned(),
        detail: "It did not work.".to_owned(),
        retryable: false,
        hint: None,
        attempt: 1,
        at: after(seconds),
    };
    Job {
        state: JobState::Failed,
        errors: codes.iter().map(error).collect(),
        finished_at: Some(after(seconds)),
        ..job(account, id)
    }
}

async fn failures_are_those_of_all_accounts_since_then_newest_first(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let expired = Job {
        state: JobState::Expired,
        ..failed(ANN, 34, &["expired"], 12)
    };
    let succeeded = Job {
        state: JobState::Succeeded,
        ..failed(BOB, 35, &["was better later"], 13)
    };
    for job in [
        failed(ANN, 32, &["tooOld"], 9),
        failed(ANN, 33, &["first", "last"], 10),
        failed(BOB, 33, &[], 11),
        expired,
        succeeded,
    ] {
        add_job(&db, &job).await;
    }
    let found = async |limit| {
        let since = after(10);
        read!(db, r => r.server_figures().failures_since(since, limit).await.unwrap())
    };
    assert_eq!(found(9).await, ["expired", "unknown", "last"]);
    assert_eq!(found(1).await, ["expired"]);
}

async fn deliveries_are_counted_by_state(db: TestStorage) {
    two_accounts(&db).await;
    let count = async || {
        let since = after(10);
        read!(db, r => r.server_figures().mail_since(since).await.unwrap())
    };
    assert_eq!(count().await, MailFigures::default());
    let guest = EmailAddress::parse("guest@example.com").unwrap();
    let queued = |account, id| {
        let key = (account, DeliveryId(id));
        Delivery::queued(key, guest.clone(), Message::Test {}, now())
    };
    let ended = |account, id, state, seconds| Delivery {
        state,
        next_at: None,
        ended_at: Some(after(seconds)),
        ..queued(account, id)
    };
    let delayed = Delivery {
        state: DeliveryState::Delayed,
        ..queued(BOB, 2)
    };
    for it in [
        queued(ANN, 1),
        delayed,
        ended(ANN, 3, DeliveryState::Failed, 9),
        ended(ANN, 4, DeliveryState::Failed, 10),
        ended(BOB, 5, DeliveryState::Failed, 11),
        ended(BOB, 6, DeliveryState::Unknown, 11),
        ended(BOB, 7, DeliveryState::Expired, 11),
        ended(BOB, 8, DeliveryState::Sent, 11),
        ended(BOB, 9, DeliveryState::Suppressed, 11),
    ] {
        change!(db, tx => tx.outbox().add(&it).await.unwrap());
    }
    let expected = MailFigures {
        queued: 2,
        failed: 2,
        unknown: 1,
        expired: 1,
    };
    assert_eq!(count().await, expected);
}

async fn accounts_at_a_limit_are_counted(db: TestStorage) {
    two_accounts(&db).await;
    let limits = AccountLimits {
        projects: 2,
        keywords: 3,
        ai_tracked: 4,
        monthly_budget: Some(MicroUsd(10)),
        daily_budget: Some(MicroUsd(5)),
        ..AccountLimits::default()
    };
    let usage = |projects, keywords, ai_tracked| AccountUsage {
        projects,
        keywords,
        ai_tracked,
    };
    let limited = |id| Account {
        limits,
        ..account(id)
    };
    let today = MONTH;
    let reached = async || read!(db, r => r.server_figures().limits_reached(today).await.unwrap());
    change!(db, tx => {
        tx.accounts().save(&limited(ANN)).await.unwrap();
        tx.accounts().save(&limited(BOB)).await.unwrap();
        tx.accounts().save_usage(ANN, usage(1, 2, 3)).await.unwrap();
        tx.accounts().save_usage(BOB, usage(2, 4, 4)).await.unwrap();
    });
    let stock = LimitFigures {
        projects: 1,
        keywords: 1,
        ai_tracked: 1,
        ..LimitFigures::default()
    };
    assert_eq!(reached().await, stock);
    change!(db, tx => {
        for counter in [Counter::Month(ANN, MONTH), Counter::Day(ANN, today)] {
            tx.spending().reserve(counter, MicroUsd(5), None).await.unwrap();
            tx.spending().settle(counter, MicroUsd(2), MicroUsd(2)).await.unwrap();
        }
    });
    let spent = LimitFigures {
        daily_budget: 1,
        ..stock
    };
    assert_eq!(reached().await, spent);
    change!(db, tx => tx.spending().reserve(Counter::Month(ANN, MONTH), MicroUsd(5), None).await.unwrap());
    let spent = LimitFigures {
        monthly_budget: 1,
        ..spent
    };
    assert_eq!(reached().await, spent);
    let disabled = Account {
        status: AccountStatus::Disabled,
        ..limited(ANN)
    };
    change!(db, tx => tx.accounts().save(&disabled).await.unwrap());
    assert_eq!(reached().await, stock);
}

async fn queues_at_a_limit_are_counted(db: TestStorage) {
    two_accounts(&db).await;
    let queue = |account, waiting, running| AccountQueue {
        waiting,
        running,
        attention_at: Some(after(9)),
        ..AccountQueue::new(account)
    };
    let reached =
        async || read!(db, r => r.server_figures().queue_limits_reached(2, 5).await.unwrap());
    let set = async |queues: [AccountQueue; 2]| {
        change!(db, tx => for queue in queues {
            tx.jobs().lock_queue(queue.account).await.unwrap();
            tx.jobs().save_queue(&queue).await.unwrap();
        });
    };
    let figures = |running, unfinished| QueueLimitFigures {
        running,
        unfinished,
    };
    assert_eq!(reached().await, figures(0, 0));
    set([queue(ANN, 0, 2), queue(BOB, 4, 0)]).await;
    assert_eq!(reached().await, figures(0, 0));
    set([queue(ANN, 1, 2), queue(BOB, 5, 0)]).await;
    assert_eq!(reached().await, figures(1, 1));
}
