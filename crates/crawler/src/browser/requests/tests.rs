//! Hand-written network events in the format of Chromium 156.

use super::*;
use serde_json::{Value, json, value::RawValue};

fn event(method: &str, params: &Value) -> Event {
    Event {
        session: Some("S".to_owned()),
        method: format!("Network.{method}"),
        params: RawValue::from_string(params.to_string()).unwrap(),
    }
}

fn response(status: u16, headers: &Value) -> Value {
    json!({
        "status": status, "headers": headers, "mimeType": "text/html", "encodedDataLength": 300.0,
        "timing": {"requestTime": 10.0, "sendEnd": 2.0, "receiveHeadersStart": 42.0, "receiveHeadersEnd": 600.0}
    })
}

fn sent(id: &str, url: &str, at: f64, redirect: Option<&Value>) -> Event {
    event(
        "requestWillBeSent",
        &json!({
            "requestId": id, "loaderId": "L", "timestamp": at, "type": "Document",
            "request": {"url": url, "method": "GET"}, "redirectResponse": redirect,
        }),
    )
}

#[test]
fn redirects_are_separate_document_requests() {
    let mut requests = Requests::default();
    requests.record(&sent("L", "http://acme.com/", 10.0, None));
    let moved = response(301, &json!({"Location": "/there"}));
    requests.record(&sent("L", "http://acme.com/there", 10.7, Some(&moved)));
    requests.set_navigation("L");
    let there = response(
        200,
        &json!({"Content-Encoding": "gzip", "cache-control": "max-age=60"}),
    );
    requests.record(&event(
        "responseReceived",
        &json!({"requestId": "L", "type": "Document", "response": there}),
    ));
    assert_eq!(requests.open_count(), 1);
    requests.record(&event(
        "loadingFinished",
        &json!({"requestId": "L", "timestamp": 11.0, "encodedDataLength": 900.0}),
    ));
    assert_eq!(requests.open_count(), 0);
    let page: Vec<_> = requests
        .document_requests()
        .map(|it| (it.status, it.begun))
        .collect();
    assert_eq!(page, [(Some(301), 10.0), (Some(200), 10.7)]);
    let last = requests.document_requests().next_back().unwrap();
    // The server took 40 ms; with the emulated network, the headers arrived after 600 ms.
    assert_eq!((last.server_ms, last.answered), (Some(40.0), Some(10.6)));
    let facts = requests.facts(&HashMap::new());
    assert_eq!(
        (
            facts[1].transfer_bytes,
            facts[1].is_compressed,
            facts[1].fresh_for
        ),
        (Some(900), true, Some(60))
    );
    assert_eq!(requests.compressible().count(), 0);
    let spans: Vec<_> = requests
        .spans(10.0)
        .iter()
        .map(|it| (it.from.round(), it.to.round()))
        .collect();
    assert_eq!(spans, [(0.0, 700.0), (700.0, 1_000.0)]);
}

#[test]
fn data_urls_are_ignored_and_failed_requests_are_closed() {
    let mut requests = Requests::default();
    requests.record(&sent("1", "data:text/plain,x", 1.0, None));
    requests.record(&sent("2", "blob:http://acme.com/1", 1.0, None));
    requests.record(&sent("3", "https://acme.com/a", 1.0, None));
    assert_eq!(requests.open_count(), 1);
    requests.record(&event(
        "loadingFailed",
        &json!({"requestId": "3", "timestamp": 2.0, "errorText": "net::ERR_FAILED"}),
    ));
    assert_eq!(requests.open_count(), 0);
    assert!(requests.spans(0.0).is_empty() && requests.facts(&HashMap::new()).is_empty());
}

#[test]
fn requests_and_url_lengths_are_bounded() {
    let mut requests = Requests::default();
    let long = format!("http://acme.com/{}", "ä".repeat(5_000));
    for number in 0..MAX_REQUESTS + 50 {
        requests.record(&sent(&number.to_string(), &long, 1.0, None));
    }
    assert_eq!(requests.all.len(), MAX_REQUESTS);
    assert!(requests.all[0].url.len() <= MAX_URL);
    requests.record(&event("responseReceived", &json!({"requestId": 5})));
}
