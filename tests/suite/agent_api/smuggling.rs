//! Request smuggling: requests with an ambiguous end are refused (RFC 9112, 11.2).

use harness::{app::TestApp, databases::TestDatabase};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

harness::on_sqlite![
    a_request_with_ambiguous_length_is_refused,
    two_valid_pipelined_requests_get_two_responses,
];

/// Sends bytes and reads until the server closes or is silent.
async fn exchange(app: &TestApp, bytes: &str) -> String {
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let mut part = [0; 4_096];
    while let Ok(Ok(length @ 1..)) =
        tokio::time::timeout(Duration::from_millis(500), stream.read(&mut part)).await
    {
        answer.extend_from_slice(&part[..length]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

fn statuses(answer: &str) -> Vec<&str> {
    answer
        .match_indices("HTTP/1.1 ")
        .map(|(at, mark)| &answer[at + mark.len()..at + mark.len() + 3])
        .collect()
}

async fn a_request_with_ambiguous_length_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let inner = "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n";
    for (name, head) in [
        (
            "a length and chunks",
            format!(
                "transfer-encoding: chunked\r\ncontent-length: {}\r\n\r\n0\r\n\r\n",
                inner.len() + 5
            ),
        ),
        (
            "two lengths",
            format!(
                "content-length: 0\r\ncontent-length: {}\r\n\r\n",
                inner.len()
            ),
        ),
        (
            "a list of lengths",
            format!("content-length: 0, {}\r\n\r\n", inner.len()),
        ),
        ("a length with a sign", "content-length: +0\r\n\r\n".into()),
        ("a negative length", "content-length: -1\r\n\r\n".into()),
        (
            "a length in hexadecimal",
            "content-length: 0x0\r\n\r\n".into(),
        ),
        (
            "an unknown coding",
            "transfer-encoding: xchunked\r\n\r\n".into(),
        ),
        (
            "chunked that is not last",
            "transfer-encoding: chunked, identity\r\n\r\n".into(),
        ),
        (
            "chunked twice",
            "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n".into(),
        ),
        (
            "space before the colon",
            "transfer-encoding : chunked\r\n\r\n0\r\n\r\n".into(),
        ),
        (
            "a folded field",
            "x-one: 1\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n".into(),
        ),
        (
            "a bare carriage return",
            "x-one: 1\rtransfer-encoding: chunked\r\n\r\n0\r\n\r\n".into(),
        ),
        (
            "a chunk without a size",
            "transfer-encoding: chunked\r\n\r\nzz\r\n\r\n".into(),
        ),
        (
            "a chunk beyond all sizes",
            "transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n".into(),
        ),
    ] {
        let request = format!(
            "POST /api/token-revocations HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{head}{inner}"
        );
        let answer = exchange(&app, &request).await;
        let statuses = statuses(&answer);
        // One refusal, then the connection closes: the rest is never read as a request.
        assert!(
            statuses.len() <= 1
                && statuses
                    .iter()
                    .all(|it| *it == "400" || *it == "408" || *it == "501"),
            "{name}: {answer}"
        );
    }
}

async fn two_valid_pipelined_requests_get_two_responses(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let clear = "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2);
    assert_eq!(statuses(&exchange(&app, &clear).await), ["200", "200"]);
}
