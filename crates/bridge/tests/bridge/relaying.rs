//! Relayed messages: both protocol generations, streams, concurrency, cancellation.

use crate::{
    client::{Client, TOKEN, settings},
    server::{Received, Server, Step, accepted, json, result, stream},
};
use bridge::Ending;
use serde_json::json;
use std::time::Duration;

fn event(data: &str) -> Step {
    Step::Send(format!("event: message\r\ndata: {data}\r\n\r\n"))
}

#[tokio::test]
async fn messages_after_initialize_send_the_negotiated_version() {
    let server = Server::start(|request: &Received| match request.method().as_str() {
        "initialize" => json(
            "{\n \"jsonrpc\": \"2.0\", \"id\": 0,\n \"result\": {\"protocolVersion\": \"2025-06-18\"}}\n",
        ),
        "tools/call" => result(request, "called"),
        _ => accepted(),
    })
    .await;
    let mut talk = Client::connect(&format!("{}/seo/", server.url()));
    let initialize = r#"{ "jsonrpc":"2.0","id":0, "method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    talk.send(initialize).await;
    talk.send("").await;
    talk.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\r")
        .await;
    talk.send(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}"#)
        .await;
    assert_eq!(
        talk.receive_text().await,
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}"#
    );
    assert_eq!(talk.receive().await["result"], "called");
    let received = server.wait_for_requests(3).await;
    assert_eq!(received[0].body, initialize, "the text stays as it came");
    assert_eq!(received[0].header("mcp-protocol-version"), None);
    for request in &received {
        assert!(request.head.starts_with("POST /seo/mcp HTTP/1.1"));
        let bearer = format!("Bearer {TOKEN}");
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
        assert_eq!(request.header("content-type"), Some("application/json"));
        let accept = Some("application/json, text/event-stream");
        assert_eq!(request.header("accept"), accept);
        assert_eq!(request.header("accept-encoding"), None);
        assert_eq!(request.header("mcp-method"), None);
        assert_eq!(request.header("mcp-name"), None);
    }
    for request in &received[1..] {
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-06-18"));
    }
    assert_eq!(talk.end().await, (vec![], Ending::Input { given_up: 0 }));
}

#[tokio::test]
async fn messages_own_version_determines_its_headers() {
    let server = Server::start(|request: &Received| match request.method().as_str() {
        "notifications/cancelled" => accepted(),
        _ => result(request, "done"),
    })
    .await;
    let mut talk = Client::connect(&server.url());
    let message = |id: u32, method: &str, params: serde_json::Value| {
        let mut params = params;
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    for (method, params, name) in [
        ("server/discover", json!({}), None),
        (
            "tools/call",
            json!({"name": "get_rankings"}),
            Some("get_rankings"),
        ),
        (
            "prompts/get",
            json!({"name": "Überblick"}),
            Some("=?base64?w5xiZXJibGljaw==?="),
        ),
        (
            "resources/read",
            json!({"uri": "sightline://projects"}),
            Some("sightline://projects"),
        ),
    ] {
        talk.send(&message(1, method, params)).await;
        assert_eq!(talk.receive().await["result"], "done");
        let request = server.received().pop().unwrap();
        assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(request.header("mcp-method"), Some(method));
        assert_eq!(request.header("mcp-name"), name);
    }
    // A notification without a version has that of the last request.
    talk.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#)
        .await;
    let request = server.wait_for_requests(5).await.pop().unwrap();
    assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(
        request.header("mcp-method"),
        Some("notifications/cancelled")
    );
}

#[tokio::test]
async fn stream_messages_arrive_immediately_and_in_order() {
    let server = Server::start(|_: &Received| {
        stream(vec![
            Step::Send(": alive\n\n".to_owned()),
            event(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#),
            Step::Wait(Duration::from_millis(50)),
            event("{\"jsonrpc\": \"2.0\",\r\ndata: \"method\":\"notifications/progress\",\"params\":{\"progress\":2}}"),
            event(r#"{"jsonrpc":"2.0","id":99,"result":"of something else"}"#),
            event(r#"{"jsonrpc":"2.0","id":1,"result":"done"}"#),
            Step::AwaitDisconnect,
        ])
    })
    .await;
    let mut talk = Client::connect(&server.url());
    talk.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#)
        .await;
    assert_eq!(talk.receive().await["params"]["progress"], 1);
    assert_eq!(
        talk.receive_text().await,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":2}}"#
    );
    assert_eq!(talk.receive().await["result"], "done");
    // The rest of the stream is read for a short time only.
    server.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn fast_response_overtakes_slow_one_without_mixing_lines() {
    let long = "x".repeat(200_000);
    let server = Server::start(move |request: &Received| {
        let mut steps = result(request, &long);
        if request.method() == "slow" {
            steps.insert(0, Step::Wait(Duration::from_secs(2)));
        }
        steps
    })
    .await;
    let mut talk = Client::connect(&server.url());
    talk.send(r#"{"jsonrpc":"2.0","id":"slow","method":"slow"}"#)
        .await;
    for id in 0..20 {
        talk.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"fast"}}"#))
            .await;
    }
    let mut ids = Vec::new();
    for _ in 0..21 {
        ids.push(talk.receive().await["id"].clone());
    }
    assert_eq!(ids.pop().unwrap(), "slow");
    ids.sort_by_key(serde_json::Value::as_u64);
    assert_eq!(ids, (0..20).map(|it| json!(it)).collect::<Vec<_>>());
}

#[tokio::test]
async fn concurrency_is_limited_and_excess_is_refused() {
    let server = Server::start(|_: &Received| vec![Step::AwaitDisconnect]).await;
    let mut settings = settings(&server.url());
    settings.limits.max_in_flight = 2;
    settings.limits.max_waiting = 1;
    let mut talk = Client::start(settings);
    for id in 1..=4 {
        talk.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#))
            .await;
    }
    let response = talk.receive().await;
    assert_eq!(
        (&response["id"], &response["error"]["code"]),
        (&json!(4), &json!(-32000))
    );
    assert_eq!(server.wait_for_requests(2).await.len(), 2);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn cancelled_request_closes_connection_without_response() {
    let server = Server::start(|request: &Received| match request.method().as_str() {
        "slow" => vec![Step::AwaitDisconnect],
        "other" => result(request, "done"),
        _ => accepted(),
    })
    .await;
    let mut talk = Client::connect(&server.url());
    talk.send(r#"{"jsonrpc":"2.0","id":"\u0061","method":"slow"}"#)
        .await;
    server.wait_for_requests(1).await;
    let cancel =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#;
    talk.send(cancel).await;
    server.wait_for_disconnects(1).await;
    let received = server.wait_for_requests(2).await;
    assert_eq!(received[1].body, cancel, "the server is told, too");
    talk.send(r#"{"jsonrpc":"2.0","id":2,"method":"other"}"#)
        .await;
    assert_eq!(talk.receive().await["id"], 2);
    assert_eq!(talk.end().await, (vec![], Ending::Input { given_up: 0 }));
}

#[tokio::test]
async fn messages_wait_for_the_response_to_initialize() {
    let server = Server::start(|request: &Received| {
        let mut steps = result(request, "done");
        if request.method() == "initialize" {
            steps.insert(0, Step::Wait(Duration::from_millis(200)));
        }
        steps
    })
    .await;
    let mut talk = Client::connect(&server.url());
    talk.send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)
        .await;
    talk.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)
        .await;
    server.wait_for_requests(1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(server.received().len(), 1);
    assert_eq!(talk.receive().await["id"], 1);
    assert_eq!(talk.receive().await["id"], 2);
}
