//! Decisions on requests, with storage in memory.

use super::*;
use crate::account::AccountLimits;
use crate::ai_models::{ModelChoice, ModelSettings};
use crate::idempotency::{Fingerprint, IdempotencyRecord, IdempotentRequest, StoredResponse};
use crate::ids::{CallerId, KeywordId};
use crate::ports::ai_answers::{AiEngine, AiEngines, EngineLabel, MockAiEngine};
use crate::ports::spending::{Counter, Spending};
use crate::test_support::fixtures::{account, job, keyword, now, project};
use crate::test_support::{ACCOUNT, MemoryStorage, a_job, a_mint, a_project, core};
use chrono::{Days, NaiveTime, TimeDelta};
use std::sync::Arc;

const OTHER: AccountId = AccountId(2);

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

/// Adds waiting jobs to an account's queue row.
fn waits(storage: &MemoryStorage, account: AccountId, waiting: u32, virtual_time: f64) {
    let line = AccountQueue {
        waiting,
        attention_at: (waiting > 0).then(now),
        virtual_time,
        ..AccountQueue::new(account)
    };
    storage.put(|state| {
        state.queues.insert(account, line);
    });
}

/// An account with earlier requests, and a project of so many keywords.
fn with_keywords(keywords: u32, ai_tracked: u32) -> MemoryStorage {
    let project = project().counting(keywords, ai_tracked);
    let storage = MemoryStorage::default().with(account()).with(project);
    waits(&storage, ACCOUNT, 0, 1.0);
    storage
}

async fn request_rank_check(storage: &MemoryStorage) -> Result<RequestedJob, RequestAnalysisError> {
    request_with_prices(storage, None).await
}

/// With a price of 300 per keyword and a server budget of 20,000 per day.
async fn request_with_prices(
    storage: &MemoryStorage,
    unpaid: Option<PaidCallRefusal>,
) -> Result<RequestedJob, RequestAnalysisError> {
    let mut core = core(storage.port());
    core.policies.prices = Prices {
        per_keyword: Spent::on(10, MicroUsd(300)),
        max_per_day: Some(MicroUsd(20_000)),
        paid_call_refusal: unpaid,
        speed_pages: 10,
    };
    core.request_analysis(ACCOUNT, &rank_check(), None).await
}

/// Returns the refusal; checks that nothing was stored.
async fn refused(storage: &MemoryStorage) -> RequestAnalysisError {
    let before = storage.state();
    let refusal = request_rank_check(storage).await.unwrap_err();
    assert_eq!(storage.state(), before, "{refusal}");
    refusal
}

fn counters() -> [Counter; 3] {
    Counter::of(ACCOUNT, now().date_naive())
}

#[tokio::test]
async fn a_disabled_account_requests_no_analysis() {
    let storage = with_keywords(5, 0).with(account().disabled());
    let refusal = refused(&storage).await;
    assert!(matches!(refusal, RequestAnalysisError::AccountDisabled));
}

#[tokio::test]
async fn a_new_account_starts_at_the_minimum_virtual_time() {
    for has_line in [true, false] {
        let storage = with_keywords(5, 0);
        waits(&storage, OTHER, 1, 7.0);
        let stands = Spending {
            reserved: MicroUsd(4_000),
            spent: MicroUsd(1_000),
        };
        storage.put(|state| {
            state.spending.insert(counters()[2], stands);
            state.queues.retain(|it, _| has_line || *it == OTHER);
        });
        let requested = request_rank_check(&storage).await.unwrap();
        let RequestedJob { job, deduplicated } = requested;
        assert_eq!((deduplicated, job.progress.total), (false, 5));
        let state = storage.state();
        let reserved = counters().map(|it| state.spending[&it].reserved);
        assert_eq!(reserved, [15_000, 15_000, 19_000].map(MicroUsd));
        let began = AccountQueue {
            virtual_time: 7.0,
            ..AccountQueue::new(ACCOUNT)
        };
        assert_eq!(state.queues[&ACCOUNT], began.after_change(None, &job));
        assert_eq!(state.jobs[&(ACCOUNT, job.id)], job);
        assert_eq!(storage.commits(), 1);
    }
}

#[tokio::test]
async fn an_account_with_jobs_keeps_its_virtual_time() {
    let storage = with_keywords(5, 0).with(job(32).of(AnalysisKind::SiteAudit));
    waits(&storage, OTHER, 1, 7.0);
    let before = storage.state().queues[&ACCOUNT];
    let requested = request_rank_check(&storage).await.unwrap();
    let line = storage.state().queues[&ACCOUNT];
    assert_eq!(line, before.after_change(None, &requested.job));
}

#[tokio::test]
async fn an_equal_unfinished_analysis_is_returned_instead() {
    let storage = with_keywords(5, 0).with(job(31).but(|it| *it = a_job()));
    let before = storage.state();
    let requested = request_rank_check(&storage).await.unwrap();
    assert_eq!(
        requested,
        RequestedJob {
            job: a_job(),
            deduplicated: true
        }
    );
    assert_eq!(storage.state(), before);
}

/// The refusal with these limits, while all accounts have reserved 5,001 today.
async fn over(change: impl FnOnce(&mut AccountLimits)) -> OverBudget {
    let storage = with_keywords(5, 0).with(account().limited(change));
    let stands = Spending {
        reserved: MicroUsd(5_001),
        spent: MicroUsd(0),
    };
    storage.put(|state| {
        state.spending.insert(counters()[2], stands);
    });
    match refused(&storage).await {
        RequestAnalysisError::OverBudget(over) => over,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_exceeded_monthly_budget_starts_nothing() {
    let over = over(|it| it.monthly_budget = Some(MicroUsd(100))).await;
    assert_eq!(
        (over.which, over.budget, over.requested),
        (Budget::Month, MicroUsd(100), MicroUsd(15_000))
    );
}

#[tokio::test]
async fn an_exceeded_daily_budget_is_refused_with_its_reset_time() {
    let of_account = over(|it| it.daily_budget = Some(MicroUsd(100))).await;
    let of_all = over(|_| ()).await;
    let which = [of_account, of_all].map(|it| it.which);
    assert_eq!(which, [Budget::Day, Budget::ServerDay]);
    // Spending of other accounts is not revealed.
    let spending = [of_account, of_all].map(|it| it.spending);
    assert_eq!(spending, [Some(Spending::default()), None]);
    let tomorrow = now().date_naive() + Days::new(1);
    for over in [of_account, of_all] {
        assert_eq!(over.until, tomorrow.and_time(NaiveTime::MIN).and_utc());
    }
}

#[tokio::test]
async fn refused_paid_calls_start_nothing() {
    let storage = MemoryStorage::default();
    let outcome = request_with_prices(&storage, Some(PaidCallRefusal::SwitchedOff)).await;
    assert!(matches!(
        outcome,
        Err(RequestAnalysisError::PaidCallRefused(
            PaidCallRefusal::SwitchedOff
        ))
    ));
}

#[tokio::test]
async fn full_queues_refuse_analyses() {
    let storage = with_keywords(5, 0);
    waits(&storage, ACCOUNT, 200, 0.0);
    assert!(matches!(
        refused(&storage).await,
        RequestAnalysisError::AccountQueueFull { limit: 200 }
    ));
    let storage = with_keywords(5, 0);
    waits(&storage, OTHER, 10_000, 0.0);
    assert!(matches!(
        refused(&storage).await,
        RequestAnalysisError::ServerQueueFull
    ));
}

#[tokio::test]
async fn full_queues_still_return_an_equal_job() {
    let storage = with_keywords(5, 0).with(job(31).but(|it| *it = a_job()));
    waits(&storage, ACCOUNT, 200, 0.0);
    waits(&storage, OTHER, 10_000, 0.0);
    assert!(request_rank_check(&storage).await.unwrap().deduplicated);
}

#[tokio::test]
async fn a_taken_id_is_minted_again() {
    let taken = JobId::mint(&a_mint());
    let audit = job(31).of(AnalysisKind::SiteAudit);
    let storage = with_keywords(5, 0).with(audit.but(|it| it.id = taken));
    let requested = request_rank_check(&storage).await.unwrap();
    assert!(!requested.deduplicated && requested.job.id != taken);
    assert_eq!(storage.state().jobs.len(), 2);
}

#[tokio::test]
async fn a_disabled_account_is_reported_before_a_missing_project() {
    for has_line in [true, false] {
        let storage = with_keywords(5, 0);
        storage.put(|state| {
            state.projects.clear();
            state.queues.retain(|_, _| has_line);
        });
        let refusal = refused(&storage).await;
        assert!(matches!(refusal, RequestAnalysisError::NoSuchProject));
        let refusal = refused(&storage.with(account().disabled())).await;
        assert!(matches!(refusal, RequestAnalysisError::AccountDisabled));
    }
}

/// Sends a request with a key.
async fn request_with_key(storage: &MemoryStorage) -> Result<RequestedJob, RequestAnalysisError> {
    let once = IdempotentRequest {
        key: "k".to_owned(),
        fingerprint: Fingerprint::of("POST", "/analyze", b"{}"),
        caller: CallerId(1),
    };
    let answer = |_: &RequestedJob| a_stored_answer();
    let writer = IdempotencyWriter {
        request: &once,
        to_response: &answer,
    };
    core(storage.port())
        .request_analysis(ACCOUNT, &rank_check(), Some(writer))
        .await
}

fn a_stored_answer() -> StoredResponse {
    StoredResponse {
        status: 202,
        location: None,
        etag: None,
        body: "{}".to_owned(),
    }
}

/// Adds a record of the key, used so long ago.
fn used(storage: &MemoryStorage, ago: TimeDelta) {
    let record = IdempotencyRecord {
        account: ACCOUNT,
        key: "k".to_owned(),
        fingerprint: Fingerprint::of("POST", "/analyze", b"{}"),
        caller: CallerId(1),
        response: a_stored_answer(),
        first_used_at: now() - ago,
    };
    storage.put(|state| {
        let key = (ACCOUNT, record.key.clone());
        state.idempotency.insert(key, record);
    });
}

#[tokio::test]
async fn a_concurrent_request_with_the_same_key_stores_nothing() {
    let over = IdempotencyRecord::RETENTION;
    for (ago, is_over) in [(over, true), (over - TimeDelta::microseconds(1), false)] {
        let storage = with_keywords(5, 0);
        used(&storage, ago);
        let before = storage.state();
        match request_with_key(&storage).await {
            Ok(requested) => {
                assert!(is_over && !requested.deduplicated);
                let kept = &storage.state().idempotency[&(ACCOUNT, "k".to_owned())];
                assert_eq!(kept.first_used_at, now());
            }
            Err(RequestAnalysisError::KeyUsedConcurrently(_)) => {
                assert!(!is_over);
                assert_eq!(storage.state(), before);
            }
            outcome => panic!("{outcome:?}"),
        }
        assert_eq!(storage.commits(), usize::from(is_over));
    }
}

#[tokio::test]
async fn a_refusal_after_the_same_key_was_used_reports_the_key() {
    for is_used in [true, false] {
        let storage = with_keywords(0, 0);
        if is_used {
            used(&storage, TimeDelta::zero());
        }
        match request_with_key(&storage).await {
            Err(RequestAnalysisError::KeyUsedConcurrently(_)) => assert!(is_used),
            Err(RequestAnalysisError::NothingToMeasure) => assert!(!is_used),
            outcome => panic!("{outcome:?}"),
        }
    }
}

#[tokio::test]
async fn a_project_without_keywords_starts_no_rank_check() {
    let refusal = refused(&with_keywords(0, 0)).await;
    assert!(matches!(refusal, RequestAnalysisError::NothingToMeasure));
}

fn ai_visibility(keywords: KeywordChoice) -> AnalysisRequest {
    AnalysisRequest {
        kind: AnalysisKind::AiVisibility,
        keywords,
        ..rank_check()
    }
}

/// An engine with that maximum price per answer.
fn engine(name: &'static str, price: i64, unpaid: Option<PaidCallRefusal>) -> Arc<dyn AiEngine> {
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
        .expect_max_spend()
        .returning(move || Spent::on(1, MicroUsd(price)));
    engine.expect_paid_call_refusal().returning(move || unpaid);
    Arc::new(engine)
}

async fn request_with_engines(
    storage: &MemoryStorage,
    engines: Vec<Arc<dyn AiEngine>>,
    request: &AnalysisRequest,
) -> Result<RequestedJob, RequestAnalysisError> {
    let mut core = core(storage.port());
    core.policies.engines = AiEngines::new(engines);
    core.request_analysis(ACCOUNT, request, None).await
}

/// Sets the account's settings for an engine.
fn set(storage: &MemoryStorage, model: ModelSettings) {
    storage.put(|state| {
        let key = (ACCOUNT, model.engine.clone());
        state.models.insert(key, model);
    });
}

fn off(engine: &str) -> ModelSettings {
    ModelSettings {
        is_active: false,
        ..ModelSettings::default_for(engine)
    }
}

/// Three keywords with five prompts and a branded one, five samples each: 80 answers per engine.
#[tokio::test]
async fn the_maximum_cost_of_every_payable_answer_is_reserved() {
    let storage = with_keywords(3, 3);
    set(&storage, off("claude"));
    let fewer = ModelSettings {
        samples: 3,
        prompts: 2,
        ..ModelSettings::default_for("gemini")
    };
    set(&storage, fewer);
    let engines = vec![
        engine("chatgpt", 30, None),
        engine("gemini", 7, None),
        engine("claude", 99, None),
        engine("perplexity", 99, Some(PaidCallRefusal::PriceUnknown)),
    ];
    let request = ai_visibility(KeywordChoice::All);
    let requested = request_with_engines(&storage, engines, &request)
        .await
        .unwrap();
    assert_eq!(requested.job.progress.total, 80 + 21);
    let amount = MicroUsd(80 * 30 + (3 * 2 + 1) * 3 * 7);
    let state = storage.state();
    let reserved = counters().map(|it| state.spending[&it].reserved);
    assert_eq!(reserved, [amount; 3]);
}

/// Counts the answers of the chosen engine; an inactive engine is reported.
#[tokio::test]
async fn only_named_active_engines_are_queried() {
    for (named, expected) in [("gemini", Some(80)), ("claude", None), ("cloude", None)] {
        let storage = with_keywords(3, 3);
        set(&storage, off("claude"));
        let engines = vec![
            engine("chatgpt", 0, None),
            engine("gemini", 0, None),
            engine("claude", 0, None),
        ];
        let request = AnalysisRequest {
            models: ModelChoice::Named(vec![named.to_owned()]),
            ..ai_visibility(KeywordChoice::All)
        };
        match (
            request_with_engines(&storage, engines, &request).await,
            expected,
        ) {
            (Ok(RequestedJob { job, .. }), Some(answers)) => {
                assert_eq!(job.progress.total, answers);
                assert_eq!(job.models, request.models);
                assert!(job.dedupe_key.ends_with(":aiVisibility:all:gemini"));
            }
            (Err(RequestAnalysisError::EngineNotActive { named: it, active }), None) => {
                assert_eq!((it.as_str(), active.len()), (named, 2));
            }
            (other, _) => panic!("{named}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn ai_visibility_needs_tracked_keywords_and_payable_engines() {
    for (tracked, engines) in [
        (0, vec![engine("chatgpt", 0, None)]),
        (3, vec![]),
        (
            3,
            vec![engine("chatgpt", 9, Some(PaidCallRefusal::SwitchedOff))],
        ),
    ] {
        let count = engines.len();
        let request = ai_visibility(KeywordChoice::All);
        let refused = request_with_engines(&with_keywords(3, tracked), engines, &request).await;
        let cause = match refused.unwrap_err() {
            RequestAnalysisError::NothingTracked => (0, 1),
            RequestAnalysisError::NoActiveEngine => (3, 0),
            RequestAnalysisError::PaidCallRefused(PaidCallRefusal::SwitchedOff) => (3, 1),
            other => panic!("{other}"),
        };
        assert_eq!(cause, (tracked, count));
    }
}

/// Five prompts, five samples each; the account's settings also apply to named keywords.
#[tokio::test]
async fn a_named_keyword_must_be_ai_tracked() {
    let storage = with_keywords(2, 1)
        .with(keyword(21, "rust").ai_tracked())
        .with(keyword(22, "seo"));
    set(&storage, off("gemini"));
    for (named, answers) in [
        (vec![21], Ok(25)),
        (vec![21, 22], Err(true)),
        (vec![21, 99], Err(false)),
    ] {
        let named = KeywordChoice::Named(named.into_iter().map(KeywordId).collect());
        let engines = vec![engine("chatgpt", 0, None), engine("gemini", 0, None)];
        let outcome = request_with_engines(&storage, engines, &ai_visibility(named)).await;
        let units = match outcome {
            Ok(requested) => Ok(requested.job.progress.total),
            Err(RequestAnalysisError::NotTracked) => Err(true),
            Err(RequestAnalysisError::NoSuchKeyword) => Err(false),
            Err(other) => panic!("{other}"),
        };
        assert_eq!(units, answers);
    }
}
