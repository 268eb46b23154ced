//! Retries, breaker, bulkhead, failover and secrets, with suppliers composed as the service does.

use super::{
    KEY,
    fault_server::{FaultServer, Reply},
    query, quick, searxng_at, serper_at, supplier,
};
use analysis::provenance::Provenance;
use domain::ports::search_results::ProviderError;
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
async fn a_passing_outage_is_overcome_and_its_calls_are_counted() {
    let server = FaultServer::scripted(|number, _| match number {
        0 => Reply::status(503, &json!({})),
        _ => Reply::ok(&one_result()),
    })
    .await;
    let page = super::serper(&server)
        .search(&query(10))
        .await
        .expect("the second answer");
    assert_eq!((page.calls, server.calls()), (2, 2));
}

#[tokio::test]
async fn after_too_many_failures_the_supplier_is_left_alone_until_it_recovers() {
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
    let supplier = supplier(SearchSettings {
        serper: Some(settings),
        resilience,
        ..Default::default()
    });
    for _ in 0..30 {
        let outcome = supplier.search(&query(10)).await;
        assert_eq!(outcome.err(), Some(ProviderError::Unavailable));
    }
    assert_eq!(server.calls(), 10);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    for _ in 0..5 {
        supplier.search(&query(10)).await.expect("it has recovered");
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
    let supplier = supplier(SearchSettings {
        serper: Some(settings),
        resilience,
        ..Default::default()
    });
    let query = query(10);
    let outcomes = join_all((0..40).map(|_| supplier.search(&query))).await;
    assert!(outcomes.iter().all(Result::is_ok));
    assert_eq!((server.calls(), server.most_under_way()), (40, 4));
}

#[tokio::test]
async fn another_supplier_stands_in_for_one_that_fails() {
    let broken = FaultServer::always(Reply::status(401, &json!({}))).await;
    let found = json!({"url": "https://a.test/", "engines": ["google"], "positions": [1]});
    let standing_in = FaultServer::always(Reply::ok(&json!({"results": [found]}))).await;
    let supplier = supplier(SearchSettings {
        serper: Some(serper_at(&broken)),
        searxng: Some(searxng_at(&standing_in)),
        resilience: quick(),
        ..Default::default()
    });
    let page = supplier
        .search(&query(10))
        .await
        .expect("the other's answer");
    assert_eq!(
        (page.provider.as_str(), page.depth_checked()),
        ("metasearch", 1)
    );
    assert_eq!(supplier.label().price_per_call, Some(1000));
}

#[tokio::test]
async fn when_all_fail_the_preferred_suppliers_failure_is_told_and_nothing_is_simulated() {
    let broken = FaultServer::always(Reply::status(401, &json!({}))).await;
    let supplier = supplier(SearchSettings {
        serper: Some(serper_at(&broken)),
        searxng: Some(searxng_at(&broken)),
        resilience: quick(),
        ..Default::default()
    });
    let error = supplier.search(&query(10)).await.expect_err("both fail");
    assert_eq!(error, ProviderError::Unauthorised);
    assert_eq!(supplier.label().provenance, Provenance::Measured);
}

#[tokio::test]
async fn a_body_that_drips_is_not_waited_for() {
    let server = FaultServer::always(Reply::SlowBody).await;
    let resilience = ResilienceSettings {
        call_timeout: Duration::from_millis(300),
        ..quick()
    };
    for settings in [
        SearchSettings {
            serper: Some(serper_at(&server)),
            ..Default::default()
        },
        SearchSettings {
            searxng: Some(searxng_at(&server)),
            ..Default::default()
        },
    ] {
        let supplier = supplier(SearchSettings {
            resilience: resilience.clone(),
            ..settings
        });
        let error = supplier
            .search(&query(10))
            .await
            .expect_err("no answer in time");
        assert_eq!(error, ProviderError::TimedOut);
    }
    assert_eq!(server.calls(), 2);
}

#[tokio::test]
async fn nobody_listening_is_an_outage() {
    let gone = FaultServer::always(Reply::Reset).await;
    let settings = serper_at(&gone);
    drop(gone);
    tokio::task::yield_now().await;
    let supplier = supplier(SearchSettings {
        serper: Some(settings),
        resilience: quick(),
        ..Default::default()
    });
    let error = supplier
        .search(&query(10))
        .await
        .expect_err("nobody answers");
    assert_eq!(error, ProviderError::Unavailable);
}

#[tokio::test]
async fn without_any_supplier_the_sandbox_answers_and_says_so() {
    let supplier = supplier(SearchSettings::default());
    let page = supplier
        .search(&query(100))
        .await
        .expect("a simulated page");
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
        serper: Some(serper_at(&server)),
        ..Default::default()
    };
    assert!(!format!("{settings:?}").contains(KEY));
}
