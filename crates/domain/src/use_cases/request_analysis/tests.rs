//! Request analysis: the decisions, against mocked ports.

use super::*;
use crate::account::{Account, AccountLimits};
use crate::ai_models::ModelSettings;
use crate::idempotency::{Fingerprint, IdempotencyRecord, OnceOnly, StoredAnswer};
use crate::ids::CallerId;
use crate::job::line::AccountQueue;
use crate::ports::ai_answers::{AiEngine, AiEngines, EngineLabel, MockAiEngine};
use crate::ports::clock::Clock;
use crate::ports::jobs::QueueFigures;
use crate::ports::spending::{Counter, Spending};
use crate::project::Project;
use crate::test_support::{
    ACCOUNT, FakeStorage, FakeTransaction, FrozenClock, a_job, a_project, an_account, core,
};
use chrono::{Days, NaiveTime};
use std::sync::Arc;

fn rank_check() -> AnalysisRequest {
    AnalysisRequest {
        project: a_project().id,
        kind: AnalysisKind::RankCheck,
        keywords: KeywordChoice::All,
        models: ModelChoice::All,
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
        next_short_run_at: None,
        attention_at: None,
        virtual_time,
    }
}

fn looking_around(storage: &FakeStorage, in_all: u64) {
    storage.expect(move |read| {
        read.jobs.expect_queue_figures_for().return_once(move |_| {
            let figures = QueueFigures {
                waiting: in_all,
                least_virtual_time: 7.0,
                ..QueueFigures::default()
            };
            Ok((figures, true))
        });
    });
}

fn holding(
    account: Account,
    queue: AccountQueue,
    project: Project,
) -> impl FnOnce(&mut FakeTransaction) {
    move |work| {
        work.jobs
            .expect_lock_with_project()
            .return_once(move |_, _| Ok(Some((account, queue, project))));
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
    let mut core = core(Arc::new(storage));
    core.policies.prices = prices;
    core.request_analysis(ACCOUNT, &rank_check(), None).await
}

#[tokio::test]
async fn nothing_is_asked_for_an_account_that_is_switched_off() {
    let storage = FakeStorage::default();
    looking_around(&storage, 0);
    storage.expect(|work| {
        let account = Account {
            status: AccountStatus::Disabled,
            ..an_account()
        };
        holding(account, queue(0, 1.0), with_keywords(5))(work);
    });
    let outcome = ask(storage).await;
    assert!(
        matches!(outcome, Err(RequestAnalysisError::AccountDisabled)),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_newcomer_begins_where_the_least_served_stands_and_sets_its_cost_aside() {
    let storage = FakeStorage::default();
    looking_around(&storage, 0);
    storage.expect(|work| {
        holding(an_account(), queue(0, 1.0), with_keywords(5))(work);
        let [month, day, server] = Counter::of(ACCOUNT, FrozenClock::default().now().date_naive());
        for counter in [month, day] {
            work.spending
                .expect_reserve()
                .withf(move |it, amount, _| (*it, *amount) == (counter, MicroUsd(15_000)))
                .once()
                .returning(|_, _, _| Ok(true));
        }
        work.spending
            .expect_reserve()
            .withf(move |it, amount, cap| {
                (*it, *amount, *cap) == (server, MicroUsd(15_000), Some(MicroUsd(20_000)))
            })
            .once()
            .returning(|_, _, _| Ok(true));
        work.jobs.expect_add().once().returning(|_| Ok(true));
        work.jobs
            .expect_save_queue()
            .withf(|line| line.waiting == 1 && (line.virtual_time - 7.0).abs() < 1e-9)
            .once()
            .returning(|_| Ok(()));
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
        work.jobs.expect_add().once().returning(|_| Ok(false));
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
        work.jobs.expect_add().returning(|_| Ok(true));
        work.spending
            .expect_reserve()
            .withf(|it, _, _| matches!(it, Counter::Month(..)))
            .return_once(|_, _, _| Ok(false));
        work.spending
            .expect_find()
            .withf(|it| matches!(it, Counter::Month(..)))
            .return_once(|_| Ok(Spending::default()));
    });
    assert!(matches!(
        ask(storage).await,
        Err(RequestAnalysisError::OverBudget(OverBudget {
            which: Budget::Month,
            ..
        }))
    ));
}

#[tokio::test]
async fn a_day_without_room_starts_nothing_and_says_until_when() {
    for which in [Budget::Day, Budget::ServerDay] {
        let storage = FakeStorage::default();
        looking_around(&storage, 0);
        storage.expect(move |work| {
            holding(an_account(), queue(0, 0.0), with_keywords(5))(work);
            work.jobs.expect_add().returning(|_| Ok(true));
            work.jobs.expect_save_queue().returning(|_| Ok(()));
            let spending = &mut work.spending;
            spending.expect_reserve().returning(move |counter, _, _| {
                Ok(match counter {
                    Counter::Month(..) => true,
                    Counter::Day(..) => which == Budget::ServerDay,
                    Counter::ServerDay(_) => false,
                })
            });
            spending
                .expect_find()
                .withf(|it| matches!(it, Counter::Day(..)))
                .returning(|_| Ok(Spending::default()));
        });
        let outcome = ask(storage).await;
        let Err(RequestAnalysisError::OverBudget(OverBudget {
            which: found,
            until,
            ..
        })) = outcome
        else {
            panic!("{outcome:?}");
        };
        let tomorrow = FrozenClock::default().now().date_naive() + Days::new(1);
        assert_eq!(
            (found, until),
            (which, tomorrow.and_time(NaiveTime::MIN).and_utc())
        );
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
async fn full_queues_answer_with_the_job_that_does_the_same() {
    let storage = FakeStorage::default();
    looking_around(&storage, 10_000);
    storage.expect(move |work| {
        holding(an_account(), queue(200, 0.0), with_keywords(5))(work);
        work.jobs
            .expect_unfinished_with_key()
            .return_once(|_, _| Ok(Some(a_job())));
    });
    assert!(ask(storage).await.unwrap().deduplicated);
}

#[tokio::test]
async fn an_id_that_is_taken_is_minted_again() {
    let storage = FakeStorage::default();
    for is_free in [false, true] {
        looking_around(&storage, 0);
        storage.expect(move |work| {
            holding(an_account(), queue(0, 0.0), with_keywords(5))(work);
            work.jobs
                .expect_add()
                .once()
                .returning(move |_| Ok(is_free));
            work.jobs
                .expect_unfinished_with_key()
                .returning(|_, _| Ok(None));
            work.spending.expect_reserve().returning(|_, _, _| Ok(true));
            work.jobs.expect_save_queue().returning(|_| Ok(()));
        });
    }
    assert!(!ask(storage).await.unwrap().deduplicated);
}

#[tokio::test]
async fn that_the_account_is_switched_off_is_told_before_that_there_is_no_project() {
    for (status, is_off) in [
        (AccountStatus::Disabled, true),
        (AccountStatus::Active, false),
    ] {
        let storage = FakeStorage::default();
        looking_around(&storage, 0);
        storage.expect(move |work| {
            work.jobs
                .expect_lock_with_project()
                .return_once(|_, _| Ok(None));
            let account = Account {
                status,
                ..an_account()
            };
            work.accounts
                .expect_find()
                .return_once(|_| Ok(Some(account)));
        });
        match ask(storage).await {
            Err(RequestAnalysisError::AccountDisabled) => assert!(is_off),
            Err(RequestAnalysisError::NoSuchProject) => assert!(!is_off),
            outcome => panic!("{outcome:?}"),
        }
    }
}

/// What is answered to a request whose key has or gets a record while it is executed.
async fn ask_once(storage: Arc<FakeStorage>) -> Result<Requested, RequestAnalysisError> {
    let once = OnceOnly {
        key: "k".to_owned(),
        fingerprint: Fingerprint::of("POST", "/analyze", b"{}"),
        caller: CallerId(1),
    };
    let answer = |_: &Requested| a_stored_answer();
    let receipt = Receipt {
        request: &once,
        answer: &answer,
    };
    let core = core(storage);
    core.request_analysis(ACCOUNT, &rank_check(), Some(receipt))
        .await
}

fn a_stored_answer() -> StoredAnswer {
    StoredAnswer {
        status: 202,
        location: None,
        etag: None,
        body: "{}".to_owned(),
    }
}

#[tokio::test]
async fn whoever_meets_the_first_with_its_key_leaves_nothing() {
    for (is_kept, commits) in [(true, 1), (false, 0)] {
        let storage = Arc::new(FakeStorage::default());
        looking_around(&storage, 0);
        storage.expect(move |work| {
            holding(an_account(), queue(0, 0.0), with_keywords(5))(work);
            work.jobs.expect_add().returning(|_| Ok(true));
            work.jobs.expect_save_queue().returning(|_| Ok(()));
            work.spending.expect_reserve().returning(|_, _, _| Ok(true));
            let over = FrozenClock::default().now() - IdempotencyRecord::KEPT_FOR;
            work.idempotency
                .expect_keep()
                .withf(move |record, it| record.key == "k" && *it == over)
                .once()
                .returning(move |_, _| Ok(is_kept));
        });
        match ask_once(Arc::clone(&storage)).await {
            Ok(requested) => assert!(is_kept && !requested.deduplicated),
            Err(RequestAnalysisError::UsedMeanwhile(_)) => assert!(!is_kept),
            outcome => panic!("{outcome:?}"),
        }
        assert_eq!(storage.commits(), commits);
    }
}

#[tokio::test]
async fn whoever_is_refused_after_the_first_with_its_key_is_told_what_that_was() {
    for is_used in [true, false] {
        let storage = Arc::new(FakeStorage::default());
        looking_around(&storage, 0);
        storage.expect(move |work| {
            holding(an_account(), queue(0, 0.0), with_keywords(0))(work);
            work.idempotency
                .expect_find()
                .once()
                .returning(move |_, _| {
                    Ok(is_used.then(|| IdempotencyRecord {
                        account: ACCOUNT,
                        key: "k".to_owned(),
                        fingerprint: Fingerprint::of("POST", "/analyze", b"{}"),
                        caller: CallerId(1),
                        answer: a_stored_answer(),
                        first_used_at: FrozenClock::default().now(),
                    }))
                });
        });
        match ask_once(storage).await {
            Err(RequestAnalysisError::UsedMeanwhile(_)) => assert!(is_used),
            Err(RequestAnalysisError::NothingToMeasure) => assert!(!is_used),
            outcome => panic!("{outcome:?}"),
        }
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

fn ai_visibility(keywords: KeywordChoice) -> AnalysisRequest {
    AnalysisRequest {
        kind: AnalysisKind::AiVisibility,
        keywords,
        ..rank_check()
    }
}

/// An engine whose answers cost so much at the most.
fn engine(name: &'static str, price: i64, unpaid: Option<Unpaid>) -> Arc<dyn AiEngine> {
    let mut engine = MockAiEngine::new();
    engine.expect_label().returning(move || EngineLabel {
        name: name.to_owned(),
        title: name.to_owned(),
        provider: name.to_owned(),
        model: None,
        provenance: analysis::provenance::Provenance::Measured,
        has_sources: true,
        forces_retrieval: true,
    });
    engine
        .expect_most()
        .returning(move || Spent::on(1, MicroUsd(price)));
    engine.expect_unpaid().returning(move || unpaid);
    Arc::new(engine)
}

async fn ask_engines(
    storage: FakeStorage,
    engines: Vec<Arc<dyn AiEngine>>,
    keywords: KeywordChoice,
) -> Result<Requested, RequestAnalysisError> {
    ask_for(storage, engines, &ai_visibility(keywords)).await
}

async fn ask_for(
    storage: FakeStorage,
    engines: Vec<Arc<dyn AiEngine>>,
    request: &AnalysisRequest,
) -> Result<Requested, RequestAnalysisError> {
    let mut core = core(Arc::new(storage));
    core.policies.engines = AiEngines::new(engines);
    core.request_analysis(ACCOUNT, request, None).await
}

fn with_tracked(ai_tracked_count: u32) -> Project {
    Project {
        ai_tracked_count,
        ..with_keywords(9)
    }
}

/// Three keywords with five prompts and a branded one, five times each: 80 answers of each engine.
#[tokio::test]
async fn every_answer_is_set_aside_at_its_most_and_what_is_not_to_be_paid_is_not_asked() {
    let storage = FakeStorage::default();
    looking_around(&storage, 0);
    storage.expect(|work| {
        holding(an_account(), queue(0, 1.0), with_tracked(3))(work);
        let off = ModelSettings {
            is_active: false,
            ..ModelSettings::usual("claude")
        };
        let fewer = ModelSettings {
            samples: 3,
            prompts: 2,
            ..ModelSettings::usual("gemini")
        };
        work.ai_models
            .expect_list()
            .return_once(move |_| Ok(vec![off, fewer]));
        let amount = 80 * 30 + (3 * 2 + 1) * 3 * 7;
        let reserved = move |it: &MicroUsd| *it == MicroUsd(amount);
        work.spending
            .expect_reserve()
            .withf(move |counter, it, _| matches!(counter, Counter::Month(..)) && reserved(it))
            .once()
            .returning(|_, _, _| Ok(true));
        work.spending
            .expect_reserve()
            .withf(|counter, _, _| !matches!(counter, Counter::Month(..)))
            .returning(|_, _, _| Ok(true));
        work.jobs.expect_add().once().returning(|_| Ok(true));
        work.jobs.expect_save_queue().returning(|_| Ok(()));
    });
    let engines = vec![
        engine("chatgpt", 30, None),
        engine("gemini", 7, None),
        engine("claude", 99, None),
        engine("perplexity", 99, Some(Unpaid::PriceUnknown)),
    ];
    let requested = ask_engines(storage, engines, KeywordChoice::All).await;
    assert_eq!(requested.unwrap().job.progress.total, 80 + 21);
}

/// As many answers as the chosen engine gives; an engine that the account does not ask is told.
#[tokio::test]
async fn only_named_engines_are_asked_and_they_have_to_be_active() {
    for (named, expected) in [("gemini", Some(80)), ("claude", None), ("cloude", None)] {
        let storage = FakeStorage::default();
        looking_around(&storage, 0);
        storage.expect(|work| {
            holding(an_account(), queue(0, 1.0), with_tracked(3))(work);
            let off = ModelSettings {
                is_active: false,
                ..ModelSettings::usual("claude")
            };
            work.ai_models
                .expect_list()
                .return_once(move |_| Ok(vec![off]));
            work.jobs
                .expect_add()
                .withf(|job| job.dedupe_key.ends_with(":aiVisibility:all:gemini"))
                .returning(|_| Ok(true));
            work.jobs.expect_save_queue().returning(|_| Ok(()));
        });
        let engines = vec![
            engine("chatgpt", 0, None),
            engine("gemini", 0, None),
            engine("claude", 0, None),
        ];
        let request = AnalysisRequest {
            models: ModelChoice::Named(vec![named.to_owned()]),
            ..ai_visibility(KeywordChoice::All)
        };
        match (ask_for(storage, engines, &request).await, expected) {
            (Ok(requested), Some(answers)) => {
                assert_eq!(requested.job.progress.total, answers);
                assert_eq!(requested.job.models, request.models);
            }
            (Err(RequestAnalysisError::NotAsked { named: it, asked }), None) => {
                assert_eq!((it.as_str(), asked.len()), (named, 2));
            }
            (other, _) => panic!("{named}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn without_tracked_keywords_or_engines_nothing_is_asked() {
    for (tracked, engines) in [
        (0, vec![engine("chatgpt", 0, None)]),
        (3, vec![]),
        (3, vec![engine("chatgpt", 9, Some(Unpaid::SwitchedOff))]),
    ] {
        let storage = FakeStorage::default();
        looking_around(&storage, 0);
        storage.expect(move |work| {
            holding(an_account(), queue(0, 0.0), with_tracked(tracked))(work);
            work.ai_models.expect_list().returning(|_| Ok(vec![]));
        });
        let count = engines.len();
        let refused = ask_engines(storage, engines, KeywordChoice::All).await;
        let told = match refused.unwrap_err() {
            RequestAnalysisError::NothingTracked => (0, 1),
            RequestAnalysisError::NoModel => (3, 0),
            RequestAnalysisError::Unpaid(Unpaid::SwitchedOff) => (3, 1),
            other => panic!("{other}"),
        };
        assert_eq!(told, (tracked, count));
    }
}

#[tokio::test]
async fn a_named_keyword_has_to_be_tracked() {
    let storage = FakeStorage::default();
    looking_around(&storage, 0);
    storage.expect(|work| {
        holding(an_account(), queue(0, 0.0), with_tracked(3))(work);
        work.keywords
            .expect_count_active_named()
            .returning(|_, _, _| Ok(2));
        work.keywords
            .expect_ai_tracked_named_and_models()
            .returning(|_, _, _| Ok((1, vec![])));
    });
    let named = KeywordChoice::Named(vec![crate::ids::KeywordId(1), crate::ids::KeywordId(2)]);
    let refused = ask_engines(storage, vec![engine("chatgpt", 0, None)], named).await;
    assert!(matches!(refused, Err(RequestAnalysisError::NotTracked)));
}
