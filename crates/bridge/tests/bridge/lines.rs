//! Invalid lines get an error response, and the next line is read.

use crate::{
    client::Client,
    server::{Received, Server, result},
};
use serde_json::json;
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn invalid_line_is_reported_and_the_bridge_continues() {
    let server = Server::start(|request: &Received| result(request, "done")).await;
    let mut talk = Client::connect(&server.url());
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
        talk.send(line).await;
        let response = talk.receive().await;
        assert_eq!(
            (&response["error"]["code"], &response["id"]),
            (&json!(code), &id),
            "{line}"
        );
    }
    talk.to.write_all(b"\xff\xfe\n").await.unwrap();
    assert_eq!(talk.receive().await["error"]["code"], -32700);
    assert!(server.received().is_empty());
    talk.send("{\"id\":1,\"method\":\"ping\"}").await;
    assert_eq!(talk.receive().await["result"], "done");
}

#[tokio::test]
async fn too_long_line_is_reported_with_its_id() {
    let server = Server::start(|request: &Received| result(request, "done")).await;
    let mut talk = Client::connect(&server.url());
    let message = |length: usize| {
        let text = "x".repeat(length);
        format!(
            "{{\"method\":\"ping\",\"params\":{{\"text\":\"{text}\"}},\"jsonrpc\":\"2.0\",\"id\":8}}"
        )
    };
    let around = message(0).len();
    talk.send(&message(1024 * 1024 - around)).await;
    assert_eq!(talk.receive().await["result"], "done");
    talk.send(&message(1024 * 1024 - around + 1)).await;
    let response = talk.receive().await;
    assert_eq!(
        (&response["id"], &response["error"]["code"]),
        (&json!(8), &json!(-32600))
    );
    talk.send("{\"id\":9,\"method\":\"ping\"}").await;
    assert_eq!(talk.receive().await["id"], 9);
    assert_eq!(server.received().len(), 2);
}
