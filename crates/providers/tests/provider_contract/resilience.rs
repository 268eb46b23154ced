//! Retries, breaker, bulkhead, failover and secrets, with suppliers composed as in production.

use super::{
    KEY, MONEY, about,
    fault_server::{FaultServer, Reply},
    found, query, quick, searxng_at, serp_api_at, serper_at, supplier,
};
use analysis::{observation::search_page::Device, provenance::Provenance};
use domain::{
    money::MicroUsd,
    ports::search_results::{ProviderError, Spent},
};
use futures_util::future::join_all;
use providers::{
    resilience::{BreakerSettings, ResilienceSettings},
    search::SearchSettings,
};
use serde_json::json;
use std::time::Duration;

fn one_result() -> serde_json::Value {
    json!({"searchParameters": {}, "organic": [{"title": "A", "link": "https://a.test/"}]})
}

#[tokio::test]
async fn transient_outage_is_retried_and_its_calls_counted() {
    let server = FaultServer::scripted(|number, _| match number {
        0 => Reply::status(503, &json!({})),
        _ => Reply::ok(&one_result()),
    })
    .await;
    let page = found(&super::serper(&server), &query(10)).await;
    assert_eq!((page.calls, server.calls()), (2, 2));
}

#[tokio::test]
async fn breaker_opens_after_failures_and_closes_on_recovery() {
    let server = FaultServer::scripted(|number, _| match number {
        0..10 => Reply::status(500, &json!({})),
        _ => Reply::ok(&one_result()),
    })
    .await;
    let resilience = ResilienceSettings {
        max_retries: 0,
        breaker: BreakerSettings {
            min_calls: 10,
            open_for: Duration::from_secs(1),
            ..Default::default()
        },
        ..quick()
    };
    let settings = serper_at(&server);
    let supplier = supplier(&SearchSettings {
        serper: settings,
        resilience,
        ..Default::default()
    });
    for _ in 0..30 {
        let outcome = supplier.search(&query(10), &MONEY).await;
        assert_eq!(outcome.answer, Err(ProviderError::Unavailable));
    }
    assert_eq!(server.calls(), 10);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    for _ in 0..5 {
        found(&supplier, &query(10)).await;
    }
    assert_eq!(server.calls(), 15);
}

#[tokio::test]
async fn no_more_calls_run_at_once_than_allowed() {
    let body = one_result().to_string();
    let server = FaultServer::always(Reply::Late(Duration::from_millis(20), body)).await;
    let resilience = ResilienceSettings {
        concurrent_calls: 4,
        ..quick()
    };
    let settings = serper_at(&server);
    let supplier = supplier(&SearchSettings {
        serper: settings,
        resilience,
        ..Default::default()
    });
    let questions: Vec<_> = (0..40).map(|it| about(&format!("keyword {it}"))).collect();
    let outcomes = join_all(questions.iter().map(|it| supplier.search(it, &MONEY))).await;
    assert!(outcomes.iter().all(|it| it.answer.is_ok()));
    assert_eq!((server.calls(), server.most_under_way()), (40, 4));
}

#[tokio::test]
async fn failing_supplier_fails_over_to_the_next() {
    let broken = FaultServer::always(Reply::status(401, &json!({}))).await;
    let listed = json!({"url": "https://a.test/", "engines": ["google"], "positions": [1]});
    let standing_in = FaultServer::always(Reply::ok(&json!({"results": [listed]}))).await;
    let supplier = supplier(&SearchSettings {
        serper: serper_at(&broken),
        searxng: searxng_at(&standing_in),
        resilience: quick(),
        ..Default::default()
    });
    let page = found(&supplier, &query(10)).await;
    assert_eq!(
        (page.provider.as_str(), page.depth_checked()),
        ("metasearch", 1)
    );
    // The reserved amount covers both.
    assert_eq!(supplier.max_spend(100), Spent::on(20, MicroUsd(500)));
}

#[tokio::test]
async fn if_all_fail_the_first_failure_is_reported_unsimulated() {
    let broken = FaultServer::always(Reply::status(401, &json!({}))).await;
    let supplier = supplier(&SearchSettings {
        serper: serper_at(&broken),
        searxng: searxng_at(&broken),
        resilience: quick(),
        ..Default::default()
    });
    let searched = supplier.search(&query(10), &MONEY).await;
    assert_eq!(searched.answer, Err(ProviderError::Unauthorized));
    assert_eq!(supplier.label().provenance, Provenance::Measured);
}

#[tokio::test]
async fn without_suppliers_the_sandbox_answers_labeled() {
    let supplier = supplier(&SearchSettings::default());
    let page = found(&supplier, &query(100)).await;
    assert_eq!(
        (page.provider.as_str(), page.provenance),
        ("sandbox", Provenance::Simulated)
    );
    assert_eq!(supplier.label().provenance, Provenance::Simulated);
}

#[tokio::test]
async fn settings_do_not_show_their_secret() {
    let server = FaultServer::always(Reply::Reset).await;
    let settings = SearchSettings {
        serper: serper_at(&server),
        ..Default::default()
    };
    assert!(!format!("{settings:?}").contains(KEY));
}

#[tokio::test]
async fn mobile_queries_skip_desktop_only_suppliers() {
    let desktop = FaultServer::always(Reply::ok(&one_result())).await;
    let busy = FaultServer::always(Reply::status(503, &json!({}))).await;
    let both = supplier(&SearchSettings {
        serp_api: serp_api_at(&busy),
        serper: serper_at(&desktop),
        resilience: quick(),
        ..Default::default()
    });
    let mut search_query = query(10);
    search_query.device = Device::Mobile;
    let searched = both.search(&search_query, &MONEY).await;
    // The other one's refusal must not make the failure permanent.
    assert_eq!(searched.answer, Err(ProviderError::Unavailable));
    assert_eq!(desktop.calls(), 0);
    search_query.device = Device::Desktop;
    assert_eq!(found(&both, &search_query).await.depth_checked(), 1);
}

#[tokio::test]
async fn billed_failure_and_its_failover_are_both_charged() {
    let broken = FaultServer::always(Reply::Reset).await;
    let standing_in = FaultServer::always(Reply::ok(&one_result())).await;
    let both = supplier(&SearchSettings {
        serp_api: serp_api_at(&broken),
        serper: serper_at(&standing_in),
        resilience: quick(),
        ..Default::default()
    });
    let searched = both.search(&query(10), &MONEY).await;
    assert!(searched.answer.is_ok());
    let spent = Spent {
        calls: 2,
        cost: MicroUsd(16_000),
        ledger_calls: 2,
    };
    assert_eq!(searched.spent, spent);
    let max_spend = both.max_spend(10);
    assert!(max_spend.calls >= spent.calls && max_spend.cost >= spent.cost);
}

#[tokio::test]
async fn equal_concurrent_searches_are_paid_once() {
    let body = one_result().to_string();
    let server = FaultServer::always(Reply::Late(Duration::from_millis(50), body)).await;
    let supplier = super::serper(&server);
    let mut of_another_site = query(10);
    of_another_site.site = "other.test".to_owned();
    let same = query(10);
    let questions = (0..20).map(|it| if it % 2 == 0 { &same } else { &of_another_site });
    let outcomes = join_all(questions.map(|it| supplier.search(it, &MONEY))).await;
    assert!(outcomes.iter().all(|it| it.answer.is_ok()));
    let spent = { outcomes.iter() }.fold(Spent::default(), |sum, it| sum.and(it.spent));
    assert_eq!(
        (server.calls(), spent),
        (1, Spent::on(1, MicroUsd(1_000)).all_in_ledger())
    );
    // Neither another query nor a later repetition is joined.
    found(&supplier, &about("another")).await;
    found(&supplier, &query(10)).await;
    assert_eq!(server.calls(), 3);
}

#[tokio::test]
async fn first_caller_may_be_dropped() {
    let body = one_result().to_string();
    let server = FaultServer::always(Reply::Late(Duration::from_millis(100), body)).await;
    let supplier = super::serper(&server);
    let search_query = query(10);
    let first = tokio::spawn({
        let (supplier, search_query) = (supplier.clone(), search_query.clone());
        async move { supplier.search(&search_query, &MONEY).await }
    });
    while server.calls() == 0 {
        tokio::task::yield_now().await;
    }
    let second = tokio::spawn({
        let (supplier, search_query) = (supplier.clone(), search_query.clone());
        async move { supplier.search(&search_query, &MONEY).await }
    });
    tokio::task::yield_now().await;
    first.abort();
    let searched = second.await.expect("it is not aborted");
    assert!(searched.answer.is_ok());
    // The first caller's ledger has the call.
    assert_eq!((server.calls(), searched.spent), (1, Spent::default()));
}

#[tokio::test]
async fn failure_reaches_all_waiters_and_is_not_cached() {
    let server = FaultServer::scripted(|number, _| match number {
        0 => Reply::status(400, &json!({ "message": "no" })),
        _ => Reply::ok(&one_result()),
    })
    .await;
    let supplier = super::serper(&server);
    let search_query = query(10);
    let outcomes = join_all((0..5).map(|_| supplier.search(&search_query, &MONEY))).await;
    let all = outcomes
        .iter()
        .all(|it| matches!(it.answer, Err(ProviderError::Refused { .. })));
    assert!(all && server.calls() == 1);
    found(&supplier, &search_query).await;
}
