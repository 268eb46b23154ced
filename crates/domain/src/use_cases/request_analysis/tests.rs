//! Request analysis: the decisions, against mocked ports.

use super::*;
use crate::{
    account::AccountLimits,
    ports::jobs::AccountQueue,
    test_support::{
        ACCOUNT, FakeStorage, FakeTransaction, FrozenClock, a_job, a_mint, a_project, an_account,
    },
};

fn rank_check() -> AnalysisRequest {
    AnalysisRequest {
        project: a_project().id,
        kind: AnalysisKind::RankCheck,
        keywords: KeywordChoice::All,
        priority: JobPriority::Normal,
        trigger: Trigger::Api,
    }
}

fn queue(waiting: u32, virtual_time: f64) -> AccountQueue {
    AccountQueue {
        account: ACCOUNT,
        waiting,
        running: 0,
        next_run_at: None,
        attention_at: None,
        virtual_time,
    }
}

fn looking_around(storage: &FakeStorage, in_all: u64) {
    storage.expect(move |read| {
        read.jobs
            .expect_unfinished_in_all()
            .return_once(move || Ok(in_all));
    });
    storage.expect(|read| {
        read.jobs
            .expect_least_virtual_time()
            .return_once(|| Ok(7.0));
    });
}

fn holding(
    account: Account,
    queue: AccountQueue,
    project: Project,
) -> impl FnOnce(&mut FakeTransaction) {
    move |work| {
        work.accounts
            .expect_find()
            .return_once(|_| Ok(Some(account)));
        work.jobs
            .expect_lock_queue()
            .return_once(move |_| Ok(queue));
        work.projects
            .expect_lock()
            .return_once(|_, _| Ok(Some(project)));
    }
}

fn with_keywords(keyword_count: u32) -> Project {
    Project {
        keyword_count,
        ..a_project()
    }
}

async fn ask(storage: FakeStorage) -> Result<Requested, RequestAnalysisError> {
    ask_at(storage, None).await
}

async fn ask_at(
    storage: FakeStorage,
    unpaid: Option<Unpaid>,
) -> Result<Requested, RequestAnalysisError> {
    let prices = Prices {
        per_keyword: Spent::on(10, MicroUsd(300)),
        most_per_day: Some(MicroUsd(20_000)),
        unpaid,
        speed_pages: 10,
    };
    let policy = QueuePolicy::default();
    RequestAnalysis::new(
        Arc::new(storage),
        Arc::new(FrozenClock::default()),
        a_mint(),
        policy,
        prices,
    )
    .run(ACCOUNT, &rank_check(), None)
    .await
}

#[tokio::test]
async fn a_newcomer_begins_where_the_least_served_stands_and_sets_its_cost_aside() {
    let storage = FakeStorage::default();
    looking_around(&storage, 0);
    storage.expect(|work| {
        holding(an_account(), queue(0, 1.0), with_keywords(5))(work);
        work.jobs
            .expect_unfinished_with_key()
            .return_once(|_, _| Ok(None));
        work.spending
            .expect_reserve()
            .withf(|_, _, amount, _| *amount == MicroUsd(15_000))
            .once()
            .returning(|_, _, _, _| Ok(true));
        work.spending
            .expect_reserve_day()
            .withf(|_, _, amount, _| *amount == MicroUsd(15_000))
            .once()
            .returning(|_, _, _, _| Ok(true));
        work.spending
            .expect_reserve_in_all()
            .withf(|_, amount, cap| (*amount, *cap) == (MicroUsd(15_000), Some(MicroUsd(20_000))))
            .once()
            .returning(|_, _, _| Ok(true));
        work.jobs.expect_add().once().returning(|_| Ok(()));
        work.jobs
            .expect_refresh_queue()
            .withf(|_, time| (*time - 7.0).abs() < 1e-9)
            .once()
            .returning(|_, _| Ok(queue(1, 7.0)));
    });
    let requested = ask(storage).await.unwrap();
    assert_eq!(
        (requested.deduplicated, requested.job.progress.total),
        (false, 5)
    );
}

#[tokio::test]
async fn the_same_unfinished_analysis_is_answered_instead_of_a_second_one() {
    let storage = FakeStorage::default();
    looking_around(&storage, 0);
    storage.expect(|work| {
        holding(an_account(), queue(1, 0.0), with_keywords(5))(work);
        work.jobs
            .expect_unfinished_with_key()
            .return_once(|_, _| Ok(Some(a_job())));
    });
    let requested = ask(storage).await.unwrap();
    assert_eq!(
        requested,
        Requested {
            job: a_job(),
            deduplicated: true
        }
    );
}

#[tokio::test]
async fn a_budget_without_room_starts_nothing() {
    let storage = FakeStorage::default();
    looking_around(&storage, 0);
    let limits = AccountLimits {
        monthly_budget: Some(MicroUsd(100)),
        ..AccountLimits::default()
    };
    storage.expect(move |work| {
        holding(
            Account {
                limits,
                ..an_account()
            },
            queue(0, 0.0),
            with_keywords(5),
        )(work);
        work.jobs
            .expect_unfinished_with_key()
            .return_once(|_, _| Ok(None));
        work.spending
            .expect_reserve()
            .return_once(|_, _, _, _| Ok(false));
        work.spending
            .expect_find()
            .return_once(|_, _| Ok(Spending::default()));
    });
    assert!(matches!(
        ask(storage).await,
        Err(RequestAnalysisError::BudgetExceeded {
            which: Budget::Month,
            ..
        })
    ));
}

#[tokio::test]
async fn a_day_without_room_starts_nothing_and_says_until_when() {
    for which in [Budget::Day, Budget::ServerDay] {
        let storage = FakeStorage::default();
        looking_around(&storage, 0);
        storage.expect(move |work| {
            holding(an_account(), queue(0, 0.0), with_keywords(5))(work);
            work.jobs
                .expect_unfinished_with_key()
                .return_once(|_, _| Ok(None));
            work.jobs.expect_add().returning(|_| Ok(()));
            work.jobs
                .expect_refresh_queue()
                .returning(|_, _| Ok(queue(1, 0.0)));
            let spending = &mut work.spending;
            spending.expect_reserve().returning(|_, _, _, _| Ok(true));
            spending
                .expect_reserve_day()
                .returning(move |_, _, _, _| Ok(which == Budget::ServerDay));
            spending
                .expect_reserve_in_all()
                .returning(|_, _, _| Ok(false));
            spending
                .expect_find_day()
                .returning(|_, _| Ok(Spending::default()));
            spending
                .expect_find_in_all()
                .returning(|_| Ok(Spending::default()));
        });
        let outcome = ask(storage).await;
        let Err(RequestAnalysisError::BudgetExceeded {
            which: found,
            until,
            ..
        }) = outcome
        else {
            panic!("{outcome:?}");
        };
        let tomorrow = FrozenClock::default().now().date_naive() + Days::new(1);
        assert_eq!((found, until), (which, midnight(tomorrow)));
    }
}

#[tokio::test]
async fn what_is_not_to_be_paid_is_not_started() {
    let outcome = ask_at(FakeStorage::default(), Some(Unpaid::SwitchedOff)).await;
    assert!(matches!(
        outcome,
        Err(RequestAnalysisError::Unpaid(Unpaid::SwitchedOff))
    ));
}

#[tokio::test]
async fn full_queues_refuse() {
    for (waiting, in_all) in [(200, 200), (3, 10_000)] {
        let storage = FakeStorage::default();
        looking_around(&storage, in_all);
        storage.expect(move |work| {
            holding(an_account(), queue(waiting, 0.0), with_keywords(5))(work);
            work.jobs
                .expect_unfinished_with_key()
                .return_once(|_, _| Ok(None));
        });
        let outcome = ask(storage).await;
        let account_is_full = matches!(
            outcome,
            Err(RequestAnalysisError::AccountQueueFull { limit: 200 })
        );
        let server_is_full = matches!(outcome, Err(RequestAnalysisError::ServerQueueFull));
        assert_eq!(
            (account_is_full, server_is_full),
            (waiting == 200, waiting == 3)
        );
    }
}

#[tokio::test]
async fn a_project_without_keywords_has_no_ranks() {
    let storage = FakeStorage::default();
    looking_around(&storage, 0);
    storage.expect(holding(an_account(), queue(0, 0.0), with_keywords(0)));
    assert!(matches!(
        ask(storage).await,
        Err(RequestAnalysisError::NothingToMeasure)
    ));
}
