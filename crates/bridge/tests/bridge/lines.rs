//! Invalid lines get an error response, and the next line is read.

use crate::{
    server::{Received, Server, result},
    talk::Talk,
};
use serde_json::json;
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn what_is_no_message_is_told_and_does_not_end_the_bridge() {
    let server = Server::start(|request: &Received| result(request, "done")).await;
    let mut talk = Talk::with(&server.url());
    for (line, code, id) in [
        ("hello", -32700, json!(null)),
        ("{\"id\":1,", -32700, json!(null)),
        (
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            -32600,
            json!(null),
        ),
        ("5", -32600, json!(null)),
        ("{\"id\":5}", -32600, json!(5)),
    ] {
        talk.say(line).await;
        let told = talk.hear().await;
        assert_eq!(
            (&told["error"]["code"], &told["id"]),
            (&json!(code), &id),
            "{line}"
        );
    }
    talk.to.write_all(b"\xff\xfe\n").await.unwrap();
    assert_eq!(talk.hear().await["error"]["code"], -32700);
    assert!(server.received().is_empty());
    talk.say("{\"id\":1,\"method\":\"ping\"}").await;
    assert_eq!(talk.hear().await["result"], "done");
}

#[tokio::test]
async fn a_line_that_is_too_long_is_told_with_its_id() {
    let server = Server::start(|request: &Received| result(request, "done")).await;
    let mut talk = Talk::with(&server.url());
    let message = |length: usize| {
        let text = "x".repeat(length);
        format!(
            "{{\"method\":\"ping\",\"params\":{{\"text\":\"{text}\"}},\"jsonrpc\":\"2.0\",\"id\":8}}"
        )
    };
    let around = message(0).len();
    talk.say(&message(1024 * 1024 - around)).await;
    assert_eq!(talk.hear().await["result"], "done");
    talk.say(&message(1024 * 1024 - around + 1)).await;
    let told = talk.hear().await;
    assert_eq!(
        (&told["id"], &told["error"]["code"]),
        (&json!(8), &json!(-32600))
    );
    talk.say("{\"id\":9,\"method\":\"ping\"}").await;
    assert_eq!(talk.hear().await["id"], 9);
    assert_eq!(server.received().len(), 2);
}
