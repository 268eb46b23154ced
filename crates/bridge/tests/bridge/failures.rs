//! Server and network failures become error responses with a message.

use crate::{
    client::{Client, settings},
    server::{Received, Server, Step, answer, json, stream},
};
use bridge::Settings;
use serde_json::{Value, json};
use std::time::Duration;

const CALL: &str = r#"{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"x"}}"#;

async fn error(settings: Settings) -> Value {
    let mut talk = Client::start(settings);
    talk.send(CALL).await;
    let response = talk.receive().await;
    assert_eq!(response["id"], "c1", "{response}");
    assert_eq!(response["jsonrpc"], "2.0");
    let (more, _) = talk.end().await;
    assert!(more.is_empty(), "{more:?}");
    response["error"].clone()
}

async fn error_of(steps: Vec<Step>) -> Value {
    error_within(Duration::from_secs(20), steps).await
}

async fn error_within(silence: Duration, steps: Vec<Step>) -> Value {
    let server = Server::start(move |_: &Received| steps.clone()).await;
    let mut settings = settings(&server.url());
    settings.limits.idle_timeout = silence;
    settings.limits.max_response_bytes = 10_000;
    error(settings).await
}

fn assert_message(error: &Value, words: &str) {
    assert_eq!(error["code"], -32000, "{error}");
    let message = error["message"].as_str().expect("words");
    assert!(message.contains(words), "{message}");
}

#[tokio::test]
async fn problem_document_is_reported_with_its_hint() {
    let problem = json!({"code": "unauthorized", "title": "Unauthorized", "detail": "The token has expired.",
        "hint": "Make another one.", "requestId": "r1"});
    let kind = "application/problem+json; charset=utf-8";
    let error = error_of(answer(401, kind, &problem.to_string())).await;
    assert_eq!(error["code"], -32001);
    assert_eq!(
        error["message"],
        "Unauthorized: The token has expired. Make another one."
    );
    assert_eq!(error["data"], problem);
}

#[tokio::test]
async fn error_without_id_gets_the_requests_id() {
    for body in [
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"a header"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32020,"message":"a header"}}"#,
        r#"{"jsonrpc":"2.0","id":"c1","error":{"code":-32020,"message":"a header"}}"#,
    ] {
        let error = error_of(answer(400, "application/json", body)).await;
        assert_eq!(error, json!({"code": -32020, "message": "a header"}));
    }
}

#[tokio::test]
async fn silent_server_times_out() {
    let silence = Duration::from_millis(300);
    let failure = error_within(silence, vec![Step::AwaitDisconnect]).await;
    assert_message(&failure, "has said nothing for 0.3 seconds");
    let half = stream(vec![
        Step::Send("data: {\"id\"".to_owned()),
        Step::AwaitDisconnect,
    ]);
    let failure = error_within(silence, half).await;
    assert_message(&failure, "has said nothing for 0.3 seconds");
}

#[tokio::test]
async fn truncated_response_is_reported() {
    let mut half = json("{\"id\":\"c1\",\"result\":1}");
    let Step::Send(text) = &mut half[0] else {
        unreachable!()
    };
    text.truncate(text.len() - 3);
    assert_message(&error_of(half).await, "did not come whole");
    assert_message(&error_of(vec![]).await, "did not come whole");
    assert_message(&error_of(stream(vec![])).await, "ended before the answer");
}

#[tokio::test]
async fn heartbeats_prevent_the_timeout() {
    let mut parts = Vec::new();
    for _ in 0..6 {
        parts.push(Step::Wait(Duration::from_millis(250)));
        parts.push(Step::Send(": alive\n\n".to_owned()));
    }
    let answer = r#"{"jsonrpc":"2.0","id":"c1","error":{"code":5}}"#;
    parts.push(Step::Send(format!("data: {answer}\n\n")));
    let failure = error_within(Duration::from_secs(1), stream(parts)).await;
    assert_eq!(failure, json!({"code": 5}));
}

#[tokio::test]
async fn invalid_response_is_reported() {
    for body in [
        "",
        "<html>",
        "[]",
        "{}",
        "{\"id\":\"other\",\"result\":1}",
        "{\"method\":\"x\"}",
    ] {
        assert_message(&error_of(json(body)).await, "not an MCP response");
    }
    let event = stream(vec![Step::Send("data: hello\n\n".to_owned())]);
    assert_message(&error_of(event).await, "not an MCP response");
    assert_message(&error_of(answer(202, "", "")).await, "not an MCP response");
    assert_message(
        &error_of(answer(502, "text/html", "<html>")).await,
        "HTTP status 502",
    );
}

#[tokio::test]
async fn too_long_response_is_refused() {
    let long = format!("{{\"id\":\"c1\",\"result\":\"{}\"}}", "x".repeat(20_000));
    assert_message(&error_of(json(&long)).await, "longer than 10000 bytes");
    let event = stream(vec![Step::Send(format!("data: {long}\n\n"))]);
    assert_message(&error_of(event).await, "longer than 10000 bytes");
}

#[tokio::test]
async fn redirect_is_reported_and_not_followed() {
    let other = Server::start(|_: &Received| json("{}")).await;
    let to = format!(
        "HTTP/1.1 307 X\r\nlocation: {}/mcp\r\ncontent-length: 0\r\n\r\n",
        other.url()
    );
    let failure = error_of(vec![Step::Send(to)]).await;
    assert_message(&failure, &format!("redirects to {}/mcp", other.url()));
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn unreachable_server_is_reported_with_a_hint() {
    let gone = Server::start(|_: &Received| vec![]).await.url();
    // The listener closes when its task is aborted.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let failure = error(settings(&gone)).await;
    assert_message(&failure, &format!("cannot reach {gone}/mcp: "));
    assert_message(
        &failure,
        "Is `sightline serve` running there? Set SIGHTLINE_URL",
    );
    assert_message(&failure, "refused");
}

#[tokio::test]
async fn initialize_timeout_lets_later_messages_continue() {
    let server = Server::start(|request: &Received| match request.method().as_str() {
        "initialize" => vec![Step::AwaitDisconnect],
        _ => json("{\"id\":2,\"result\":1}"),
    })
    .await;
    let mut settings = settings(&server.url());
    settings.limits.initialize_timeout = Duration::from_millis(200);
    let mut talk = Client::start(settings);
    talk.send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)
        .await;
    talk.send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)
        .await;
    let response = talk.receive().await;
    assert_eq!(response["id"], 1);
    assert_message(
        &response["error"],
        "did not answer `initialize` within 0.2 seconds",
    );
    assert_eq!(talk.receive().await["result"], 1);
}

#[tokio::test]
async fn refused_notification_has_no_response() {
    let server =
        Server::start(|_: &Received| answer(400, "application/json", "{\"error\":{}}")).await;
    let mut talk = Client::connect(&server.url());
    talk.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    talk.send(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).await;
    server.wait_for_requests(2).await;
    let (lines, _) = talk.end().await;
    assert!(lines.is_empty(), "{lines:?}");
}
