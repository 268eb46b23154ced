//! Server and network failures become error responses with a message.

use crate::{
    server::{Received, Server, Step, answer, json, stream},
    talk::{Talk, settings},
};
use bridge::Settings;
use serde_json::{Value, json};
use std::time::Duration;

const CALL: &str = r#"{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"x"}}"#;

async fn error(settings: Settings) -> Value {
    let mut talk = Talk::begin(settings);
    talk.say(CALL).await;
    let told = talk.hear().await;
    assert_eq!(told["id"], "c1", "{told}");
    assert_eq!(told["jsonrpc"], "2.0");
    let (more, _) = talk.end().await;
    assert!(more.is_empty(), "{more:?}");
    told["error"].clone()
}

async fn error_of(steps: Vec<Step>) -> Value {
    error_within(Duration::from_secs(20), steps).await
}

async fn error_within(silence: Duration, steps: Vec<Step>) -> Value {
    let server = Server::start(move |_: &Received| steps.clone()).await;
    let mut settings = settings(&server.url());
    settings.limits.silence = silence;
    settings.limits.longest_answer = 10_000;
    error(settings).await
}

fn says(error: &Value, words: &str) {
    assert_eq!(error["code"], -32000, "{error}");
    let message = error["message"].as_str().expect("words");
    assert!(message.contains(words), "{message}");
}

#[tokio::test]
async fn a_problem_is_told_with_its_hint_and_handed_on() {
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
async fn an_error_without_an_id_has_that_of_the_request() {
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
async fn a_server_that_vanishes_does_not_hang_a_call() {
    let silence = Duration::from_millis(300);
    let told = error_within(silence, vec![Step::Hold]).await;
    says(&told, "has said nothing for 0.3 seconds");
    let half = stream(vec![Step::Send("data: {\"id\"".to_owned()), Step::Hold]);
    let told = error_within(silence, half).await;
    says(&told, "has said nothing for 0.3 seconds");
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_told() {
    let mut half = json("{\"id\":\"c1\",\"result\":1}");
    let Step::Send(text) = &mut half[0] else {
        unreachable!()
    };
    text.truncate(text.len() - 3);
    says(&error_of(half).await, "did not come whole");
    says(&error_of(vec![]).await, "did not come whole");
    says(&error_of(stream(vec![])).await, "ended before the answer");
}

#[tokio::test]
async fn signs_of_life_keep_a_call_alive() {
    let mut parts = Vec::new();
    for _ in 0..6 {
        parts.push(Step::Wait(Duration::from_millis(250)));
        parts.push(Step::Send(": alive\n\n".to_owned()));
    }
    let answer = r#"{"jsonrpc":"2.0","id":"c1","error":{"code":5}}"#;
    parts.push(Step::Send(format!("data: {answer}\n\n")));
    let told = error_within(Duration::from_secs(1), stream(parts)).await;
    assert_eq!(told, json!({"code": 5}));
}

#[tokio::test]
async fn what_is_no_answer_is_told() {
    for body in [
        "",
        "<html>",
        "[]",
        "{}",
        "{\"id\":\"other\",\"result\":1}",
        "{\"method\":\"x\"}",
    ] {
        says(&error_of(json(body)).await, "no answer of an MCP server");
    }
    let event = stream(vec![Step::Send("data: hello\n\n".to_owned())]);
    says(&error_of(event).await, "no answer of an MCP server");
    says(
        &error_of(answer(202, "", "")).await,
        "no answer of an MCP server",
    );
    says(
        &error_of(answer(502, "text/html", "<html>")).await,
        "HTTP status 502",
    );
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_refused() {
    let long = format!("{{\"id\":\"c1\",\"result\":\"{}\"}}", "x".repeat(20_000));
    says(&error_of(json(&long)).await, "longer than 10000 bytes");
    let event = stream(vec![Step::Send(format!("data: {long}\n\n"))]);
    says(&error_of(event).await, "longer than 10000 bytes");
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let other = Server::start(|_: &Received| json("{}")).await;
    let to = format!(
        "HTTP/1.1 307 X\r\nlocation: {}/mcp\r\ncontent-length: 0\r\n\r\n",
        other.url()
    );
    let told = error_of(vec![Step::Send(to)]).await;
    says(&told, &format!("redirects to {}/mcp", other.url()));
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_what_to_do() {
    let gone = Server::start(|_: &Received| vec![]).await.url();
    // The listener closes when its task is aborted.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let told = error(settings(&gone)).await;
    says(&told, &format!("cannot reach {gone}/mcp: "));
    says(
        &told,
        "Is `sightline serve` running there? Set SIGHTLINE_URL",
    );
    says(&told, "refused");
}

#[tokio::test]
async fn initialize_has_a_time_limit_of_its_own_and_what_waits_goes_on() {
    let server = Server::start(|request: &Received| match request.method().as_str() {
        "initialize" => vec![Step::Hold],
        _ => json("{\"id\":2,\"result\":1}"),
    })
    .await;
    let mut settings = settings(&server.url());
    settings.limits.initialize = Duration::from_millis(200);
    let mut talk = Talk::begin(settings);
    talk.say(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)
        .await;
    talk.say(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)
        .await;
    let told = talk.hear().await;
    assert_eq!(told["id"], 1);
    says(
        &told["error"],
        "did not answer `initialize` within 0.2 seconds",
    );
    assert_eq!(talk.hear().await["result"], 1);
}

#[tokio::test]
async fn a_notification_that_is_refused_has_no_answer() {
    let server =
        Server::start(|_: &Received| answer(400, "application/json", "{\"error\":{}}")).await;
    let mut talk = Talk::with(&server.url());
    talk.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    talk.say(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).await;
    server.asked(2).await;
    let (lines, _) = talk.end().await;
    assert!(lines.is_empty(), "{lines:?}");
}
