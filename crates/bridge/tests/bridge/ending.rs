//! How a bridge ends.

use crate::{
    server::{Received, Server, Step, result},
    talk::{Talk, settings},
};
use bridge::Ending;
use std::time::{Duration, Instant};
use tokio::{io::AsyncWriteExt, time::timeout};

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#;

#[tokio::test]
async fn what_is_under_way_when_the_input_ends_is_waited_for() {
    let server = Server::start(|request: &Received| {
        let mut steps = result(request, "done");
        steps.insert(0, Step::Wait(Duration::from_millis(200)));
        steps
    })
    .await;
    let mut talk = Talk::with(&server.url());
    talk.say(CALL).await;
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
async fn it_is_not_waited_for_without_end() {
    let server = Server::start(|_: &Received| vec![Step::Hold]).await;
    let mut settings = settings(&server.url());
    settings.limits.farewell = Duration::from_millis(200);
    let mut talk = Talk::begin(settings);
    talk.say(CALL).await;
    talk.say(r#"{"jsonrpc":"2.0","id":2,"method":"x"}"#).await;
    talk.say(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#)
        .await;
    let (lines, ending) = talk.end().await;
    assert!(lines.is_empty());
    assert_eq!(ending, Ending::Input { given_up: 2 });
    server.left(3).await;
}

#[tokio::test]
async fn told_to_stop_it_ends_at_once() {
    let server = Server::start(|_: &Received| vec![Step::Hold]).await;
    let mut talk = Talk::with(&server.url());
    talk.say(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#)
        .await;
    server.asked(1).await;
    let begun = Instant::now();
    talk.stop.cancel();
    assert_eq!(talk.bridge.await.unwrap(), Ending::Stopped);
    assert!(begun.elapsed() < Duration::from_secs(2));
    server.left(1).await;
}

#[tokio::test]
async fn when_nobody_reads_any_more_it_ends() {
    let server = Server::start(|request: &Received| result(request, "done")).await;
    let mut talk = Talk::with(&server.url());
    drop(talk.from);
    talk.to
        .write_all(format!("{CALL}\n").as_bytes())
        .await
        .unwrap();
    let ending = timeout(Duration::from_secs(5), talk.bridge).await.unwrap();
    assert_eq!(ending.unwrap(), Ending::OutputClosed);
}
