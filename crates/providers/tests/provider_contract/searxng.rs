//! SearXNG: documented responses and all kinds of failure.

use super::{
    MONEY,
    fault_server::{FaultServer, Reply},
    found, query, searxng,
};
use analysis::observation::search_page::FeatureCoverage;
use domain::ports::search_results::ProviderError;
use serde_json::{Value, json};

fn result(url: &str, engines: &[&str], positions: &[u32]) -> Value {
    json!({
        "url": url, "title": "T", "content": "C", "engine": engines[0], "engines": engines,
        "positions": positions, "score": 1.0, "category": "general", "template": "default.html",
        "parsed_url": ["https", "x", "/", "", "", ""], "publishedDate": null
    })
}

pub fn page(results: u32) -> Value {
    let found = (1..=results)
        .map(|place| result(&format!("https://site{place}.test/"), &["google"], &[place]));
    body(&found.collect::<Vec<_>>(), &json!([]))
}

pub fn body(results: &[Value], unresponsive: &Value) -> Value {
    json!({
        "query": "q", "number_of_results": 0, "results": results, "answers": [],
        "corrections": [], "infoboxes": [], "suggestions": ["red shoes"],
        "unresponsive_engines": unresponsive
    })
}

#[tokio::test]
async fn request_names_one_engine_in_the_documented_format() {
    let server = FaultServer::always(Reply::ok(&body(&[], &json!([])))).await;
    found(&searxng(&server), &query(10)).await;
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
async fn ranks_follow_the_engine_not_the_merged_order() {
    let results = [
        result("https://c.test/", &["google"], &[3]),
        result("https://x.test/", &["bing"], &[1]),
        result("https://a.test/", &["google"], &[1]),
        result("https://b.test/", &["google", "bing"], &[7, 2]),
    ];
    let server =
        FaultServer::always(Reply::ok(&body(&results, &json!([["bing", "timeout"]])))).await;
    let page = found(&searxng(&server), &query(10)).await;
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
                result(
                    &format!("https://s{place}.test/{page}"),
                    &["google"],
                    &[place],
                )
            })
            .collect();
        Reply::ok(&body(&results, &json!([])))
    })
    .await;
    let page = found(&searxng(&server), &query(100)).await;
    assert_eq!((server.calls(), page.depth_checked()), (3, 20));
}

#[tokio::test]
async fn instance_without_json_names_the_setting() {
    let server = FaultServer::always(Reply::Status(403, &[], "Forbidden".to_owned())).await;
    let searched = searxng(&server).search(&query(10), &MONEY).await;
    let error = searched.answer.expect_err("a refusal");
    assert!(matches!(&error, ProviderError::Refused { reason } if reason.contains("format=json")));
    assert_eq!(server.calls(), 1);
}
