//! SearXNG: the documented answers, and every way in which it fails.

use super::{
    fault_server::{FaultServer, Reply},
    query, searxng,
};
use analysis::observation::search_page::FeatureCoverage;
use domain::ports::search_results::ProviderError;
use serde_json::{Value, json};

fn found(url: &str, engines: &[&str], positions: &[u32]) -> Value {
    json!({
        "url": url, "title": "T", "content": "C", "engine": engines[0], "engines": engines,
        "positions": positions, "score": 1.0, "category": "general", "template": "default.html",
        "parsed_url": ["https", "x", "/", "", "", ""], "publishedDate": null
    })
}

fn body(results: &[Value], unresponsive: &Value) -> Value {
    json!({
        "query": "q", "number_of_results": 0, "results": results, "answers": [],
        "corrections": [], "infoboxes": [], "suggestions": ["red shoes"],
        "unresponsive_engines": unresponsive
    })
}

#[tokio::test]
async fn it_is_asked_for_one_engine_in_its_own_shape() {
    let server = FaultServer::always(Reply::ok(&body(&[], &json!([])))).await;
    searxng(&server)
        .search(&query(10))
        .await
        .expect("an answer");
    let received = &server.received()[0];
    assert!(received.head.starts_with("GET /search?"));
    for (name, value) in [
        ("q", "running shoes & socks"),
        ("format", "json"),
        ("language", "en-US"),
        ("pageno", "1"),
        ("engines", "google"),
    ] {
        assert_eq!(received.parameter(name).as_deref(), Some(value));
    }
}

#[tokio::test]
async fn ranks_are_the_engines_own_and_not_the_merged_order() {
    let results = [
        found("https://c.test/", &["google"], &[3]),
        found("https://x.test/", &["bing"], &[1]),
        found("https://a.test/", &["google"], &[1]),
        found("https://b.test/", &["google", "bing"], &[7, 2]),
    ];
    let server =
        FaultServer::always(Reply::ok(&body(&results, &json!([["bing", "timeout"]])))).await;
    let page = searxng(&server)
        .search(&query(10))
        .await
        .expect("an answer");
    let urls: Vec<_> = page
        .organic()
        .map(|(_, it)| (it.position, it.url.as_str()))
        .collect();
    assert_eq!(
        urls,
        [
            (1, "https://a.test/"),
            (2, "https://b.test/"),
            (3, "https://c.test/")
        ]
    );
    assert_eq!(
        (page.engine.as_str(), page.provider.as_str()),
        ("google", "metasearch")
    );
    assert_eq!(
        (page.feature_coverage, page.total_results_estimate),
        (FeatureCoverage::Absent, None)
    );
    assert_eq!(page.warnings, ["metasearchOrder"]);
}

#[tokio::test]
async fn it_pages_until_the_results_run_out() {
    let server = FaultServer::scripted(|_, received| {
        let page = if received.head.is_empty() {
            1
        } else {
            received
                .parameter("pageno")
                .expect("a page")
                .parse::<u32>()
                .expect("a number")
        };
        let places = if page < 3 { 10 } else { 0 };
        let results: Vec<_> = (1..=places)
            .map(|place| {
                found(
                    &format!("https://s{place}.test/{page}"),
                    &["google"],
                    &[place],
                )
            })
            .collect();
        Reply::ok(&body(&results, &json!([])))
    })
    .await;
    let page = searxng(&server)
        .search(&query(100))
        .await
        .expect("an answer");
    assert_eq!((server.calls(), page.depth_checked()), (3, 20));
}

async fn failure(reply: Reply) -> (ProviderError, usize) {
    let server = FaultServer::always(reply).await;
    let error = searxng(&server)
        .search(&query(10))
        .await
        .expect_err("a failure");
    (error, server.calls())
}

#[tokio::test]
async fn silence_of_the_engines_is_a_failure_and_never_an_empty_page() {
    for silent in [json!([["google", "CAPTCHA"]]), json!(["google"])] {
        let reply = Reply::ok(&body(&[], &silent));
        assert_eq!(failure(reply).await, (ProviderError::Unavailable, 3));
    }
}

#[tokio::test]
async fn nothing_found_is_an_empty_page() {
    let server = FaultServer::always(Reply::ok(&body(&[], &json!([])))).await;
    let page = searxng(&server)
        .search(&query(10))
        .await
        .expect("an answer");
    assert_eq!(page.depth_checked(), 0);
}

#[tokio::test]
async fn an_instance_without_json_says_what_to_change() {
    let (error, calls) = failure(Reply::Status(403, &[], "Forbidden".to_owned())).await;
    assert!(matches!(&error, ProviderError::Refused { reason } if reason.contains("format=json")));
    assert_eq!(calls, 1);
}

#[tokio::test]
async fn failures_are_told_apart() {
    let limited = ProviderError::RateLimited { retry_after: None };
    for (reply, expected, calls) in [
        (
            Reply::status(401, &json!({})),
            ProviderError::Unauthorised,
            1,
        ),
        (Reply::status(429, &json!({})), limited, 3),
        (
            Reply::status(500, &json!({})),
            ProviderError::Unavailable,
            3,
        ),
        (Reply::Reset, ProviderError::Unavailable, 3),
    ] {
        assert_eq!(failure(reply.clone()).await, (expected, calls), "{reply:?}");
    }
    assert!(matches!(
        failure(Reply::status(400, &json!({}))).await,
        (ProviderError::Refused { .. }, 1)
    ));
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_malformed() {
    let whole = body(&[found("https://a.test/", &["google"], &[1])], &json!([])).to_string();
    for reply in [
        Reply::Status(200, &[], whole[..whole.len() / 2].to_owned()),
        Reply::CutShort(whole),
        Reply::ok(&json!({"results": {}})),
        Reply::ok(&json!({"error": "no"})),
        Reply::Status(200, &[], "<html>".to_owned()),
        Reply::Huge(100_000_000),
    ] {
        let (error, calls) = failure(reply.clone()).await;
        assert!(
            matches!(error, ProviderError::Malformed { .. }),
            "{reply:?}: {error:?}"
        );
        assert_eq!(calls, 1);
    }
}
