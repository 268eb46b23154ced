//! How a bridge ends.

use crate::{
    client::{Client, settings},
    server::{Received, Server, Step, result},
};
use bridge::Ending;
use std::time::{Duration, Instant};
use tokio::{io::AsyncWriteExt, time::timeout};

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#;

#[tokio::test]
async fn calls_in_flight_finish_after_end_of_input() {
    let server = Server::start(|request: &Received| {
        let mut steps = result(request, "done");
        steps.insert(0, Step::Wait(Duration::from_millis(200)));
        steps
    })
    .await;
    let mut talk = Client::connect(&server.url());
    talk.send(CALL).await;
    // The last line needs no line feed.
    talk.to
        .write_all(br#"{"jsonrpc":"2.0","id":2,"method":"x"}"#)
        .await
        .unwrap();
    let (lines, ending) = talk.end().await;
    assert_eq!(lines.len(), 2);
    assert_eq!(ending, Ending::Input { given_up: 0 });
}

#[tokio::test]
async fn waiting_after_end_of_input_has_a_timeout() {
    let server = Server::start(|_: &Received| vec![Step::AwaitDisconnect]).await;
    let mut settings = settings(&server.url());
    settings.limits.shutdown_timeout = Duration::from_millis(200);
    let mut talk = Client::start(settings);
    talk.send(CALL).await;
    talk.send(r#"{"jsonrpc":"2.0","id":2,"method":"x"}"#).await;
    talk.send(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#)
        .await;
    let (lines, ending) = talk.end().await;
    assert!(lines.is_empty());
    assert_eq!(ending, Ending::Input { given_up: 2 });
    server.wait_for_disconnects(3).await;
}

#[tokio::test]
async fn bridge_stops_at_once_when_cancelled() {
    let server = Server::start(|_: &Received| vec![Step::AwaitDisconnect]).await;
    let mut talk = Client::connect(&server.url());
    talk.send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)
        .await;
    server.wait_for_requests(1).await;
    let begun = Instant::now();
    talk.stop.cancel();
    assert_eq!(talk.bridge.await.unwrap(), Ending::Stopped);
    assert!(begun.elapsed() < Duration::from_secs(2));
    server.wait_for_disconnects(1).await;
}

#[tokio::test]
async fn bridge_ends_when_the_output_is_closed() {
    let server = Server::start(|request: &Received| result(request, "done")).await;
    let mut talk = Client::connect(&server.url());
    drop(talk.from);
    talk.to
        .write_all(format!("{CALL}\n").as_bytes())
        .await
        .unwrap();
    let ending = timeout(Duration::from_secs(5), talk.bridge).await.unwrap();
    assert_eq!(ending.unwrap(), Ending::OutputClosed);
}
