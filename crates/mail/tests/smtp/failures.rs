//! What becomes of replies that refuse, of connections that end, and of servers that do not reply.

use crate::server::{PASSWORD, Server, USER, delivery, letter};
use domain::ports::mailer::{MailFailure, Mailer};
use mail::SmtpMailer;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const ANN: &str = "ann@recipient.example";

async fn send(mailer: &SmtpMailer, to: &str) -> Result<String, MailFailure> {
    mailer.open(&delivery(to)).await?.send(&letter(to)).await
}

async fn failure(mailer: &SmtpMailer) -> MailFailure {
    send(mailer, ANN).await.expect_err("it fails")
}

fn refused(reply: &str, is_unknown_address: bool) -> MailFailure {
    MailFailure::Refused {
        reply: reply.to_owned(),
        is_unknown_address,
    }
}

fn assert_temporary(failure: &MailFailure, part: &str) {
    let MailFailure::Temporary(text) = failure else {
        panic!("{failure:?}");
    };
    assert!(text.contains(part), "{text}");
    assert!(text.chars().count() <= 200 && !text.contains(char::is_control));
}

#[tokio::test]
async fn replies_decide_what_becomes_of_a_message() {
    let server = Server::start("none");
    let mailer = server.mailer(&json!({}));
    let temporary = |reply: &str| MailFailure::Temporary(reply.to_owned());
    for (at, reply, expected) in [
        ("mail", "451 4.3.0 Later", temporary("451 4.3.0 Later")),
        (
            "mail",
            "550 5.1.1 Sender unknown",
            temporary("550 5.1.1 Sender unknown"),
        ),
        (
            "mail",
            "530 5.7.0 Sign in first",
            temporary("530 5.7.0 Sign in first"),
        ),
        (
            "rcpt",
            "451 4.7.1 Greylisted",
            temporary("451 4.7.1 Greylisted"),
        ),
        (
            "rcpt",
            "550-5.1.1 No\n550 5.1.1 such user",
            refused("550 5.1.1 No such user", true),
        ),
        ("rcpt", "550 5.7.1 Spam", refused("550 5.7.1 Spam", false)),
        (
            "rcpt",
            "550 No such user",
            refused("550 No such user", false),
        ),
        (
            "rcpt",
            "421 4.3.2 Shutting down",
            temporary("421 4.3.2 Shutting down"),
        ),
        (
            "data",
            "452 4.3.1 Disk full",
            temporary("452 4.3.1 Disk full"),
        ),
        (
            "data",
            "554 5.5.1 No valid recipients",
            refused("554 5.5.1 No valid recipients", false),
        ),
        (
            "data",
            "250 Go on",
            temporary("unexpected reply: 250 Go on"),
        ),
        ("text", "554 5.7.1 Spam", refused("554 5.7.1 Spam", false)),
        (
            "text",
            "550 5.1.10 Null MX",
            refused("550 5.1.10 Null MX", true),
        ),
        ("text", "451 4.3.0 Later", temporary("451 4.3.0 Later")),
        (
            "text",
            "354 Go on",
            MailFailure::NoReply("unexpected reply: 354 Go on".to_owned()),
        ),
    ] {
        server.rules(&json!([{ "at": at, "reply": reply }]));
        assert_eq!(failure(&mailer).await, expected, "{at}");
    }
    server.rules(&json!([]));
    let transferred = server.messages().len();
    assert_eq!(transferred, 4, "only the last four reached the text");
    assert!(send(&mailer, ANN).await.is_ok());
}

#[tokio::test]
async fn one_of_five_recipients_is_refused() {
    let server = Server::start("tls");
    let gone = "gone@recipient.example";
    server.rules(&json!([{ "at": "rcpt", "to": gone, "reply": "550 5.1.1 No such user" }]));
    let mailer = server.mailer(&json!({}));
    for at in 0..5 {
        let to = if at == 2 {
            gone.to_owned()
        } else {
            format!("p{at}@recipient.example")
        };
        assert_eq!(send(&mailer, &to).await.is_err(), at == 2);
    }
    let to: Vec<Value> = server
        .messages()
        .iter()
        .map(|it| it["to"][0].clone())
        .collect();
    let accepted = [0, 1, 3, 4].map(|at| format!("p{at}@recipient.example"));
    assert_eq!(to, accepted);
}

#[tokio::test]
async fn greylisted_message_is_accepted_later() {
    let server = Server::start("none");
    server.rules(&json!([{ "at": "rcpt", "times": 1, "reply": "451 4.7.1 Greylisted" }]));
    let mailer = server.mailer(&json!({}));
    assert_temporary(&failure(&mailer).await, "451 4.7.1 Greylisted");
    assert!(send(&mailer, ANN).await.is_ok());
    assert_eq!(server.messages().len(), 1);
}

#[tokio::test]
async fn connection_that_ends_after_the_text_is_no_reply() {
    for security in ["starttls", "none"] {
        let server = Server::start(security);
        server.rules(&json!([{ "at": "text", "reply": "close" }]));
        let failure = failure(&server.mailer(&json!({}))).await;
        assert!(matches!(failure, MailFailure::NoReply(_)), "{failure:?}");
        assert_eq!(server.messages().len(), 1);
    }
}

#[tokio::test]
async fn connection_that_ends_before_the_text_is_temporary() {
    let server = Server::start("none");
    let mailer = server.mailer(&json!({}));
    for at in ["connect", "ehlo", "mail", "rcpt", "data"] {
        server.rules(&json!([{ "at": at, "reply": "close" }]));
        assert_temporary(&failure(&mailer).await, "localhost:");
    }
    assert!(server.messages().is_empty());
}

/// The clock of Tokio is paused once the text is transferred.
#[tokio::test]
async fn reply_to_the_text_is_awaited_for_ten_minutes() {
    let server = Server::start("none");
    server.rules(&json!([{ "at": "text", "reply": "hang" }]));
    let transfer = server
        .mailer(&json!({}))
        .open(&delivery(ANN))
        .await
        .unwrap();
    let letter = letter(ANN);
    let mut sending = transfer.send(&letter);
    tokio::select! {
        biased;
        ended = &mut sending => panic!("{ended:?}"),
        () = tokio::time::sleep(Duration::from_millis(500)) => {}
    }
    server.await_step("text", 1).await;
    tokio::time::pause();
    let begun = tokio::time::Instant::now();
    let failure = sending.await.expect_err("no reply comes");
    let waited = begun.elapsed();
    assert!((500..=600).contains(&waited.as_secs()), "{waited:?}");
    let MailFailure::NoReply(text) = failure else {
        panic!("{failure:?}");
    };
    assert!(
        text.ends_with("no reply to the text within 10 min"),
        "{text}"
    );
}

#[tokio::test]
async fn slow_servers_are_given_up_after_the_timeout() {
    let server = Server::start("none");
    let mailer = server.mailer(&json!({ "timeout_seconds": 1 }));
    for rule in [
        json!([{ "at": "connect", "after": 9, "reply": "220 Late" }]),
        json!([{ "at": "rcpt", "reply": "hang" }]),
        json!([{ "at": "data", "after": 9, "reply": "354 Late" }]),
    ] {
        server.rules(&rule);
        let begun = Instant::now();
        assert_temporary(
            &failure(&mailer).await,
            "not ready for a message within 1 s",
        );
        assert!(begun.elapsed() < Duration::from_secs(6), "{rule}");
    }
    server.rules(&json!([{ "at": "rcpt", "after": 0.3 }, { "at": "text", "after": 1.5 }]));
    assert!(
        send(&mailer, ANN).await.is_ok(),
        "the reply to the text may take longer"
    );
}

#[tokio::test]
async fn server_that_is_down_is_temporary() {
    let server = Server::start("tls");
    let port = server.settings(&json!({})).port();
    let mailers = ["none", "starttls", "tls"].map(|it| server.mailer(&json!({ "security": it })));
    drop(server);
    for mailer in mailers {
        let refused = format!("localhost:{port}: Connection refused");
        assert_temporary(&failure(&mailer).await, &refused);
        assert_temporary(&mailer.probe().await.unwrap_err(), &refused);
    }
}

#[tokio::test]
async fn failed_sign_in_is_temporary_and_hides_the_password() {
    let server = Server::start("starttls");
    let mailer = server.mailer(&json!({}));
    let echo = format!("535 5.7.8 {USER} may not use {PASSWORD}");
    server.rules(&json!([{ "at": "auth", "reply": echo }]));
    let hidden = MailFailure::Temporary(format!("535 5.7.8 {USER} may not use (hidden)"));
    assert_eq!(failure(&mailer).await, hidden);
    server.rules(&json!([]));
    let wrong = server.secret_file("wrong", "wrong-hunter2");
    let mailer = server.mailer(&json!({ "password_file": wrong }));
    assert_temporary(&failure(&mailer).await, "535 5.7.8");
    assert_temporary(&mailer.probe().await.unwrap_err(), "535 5.7.8");
    assert!(server.messages().is_empty());
}

#[tokio::test]
async fn unknown_authorities_and_names_are_refused() {
    for security in ["starttls", "tls"] {
        let server = Server::start(security);
        let unknown = server.mailer(&json!({ "ca_file": null }));
        assert_temporary(
            &failure(&unknown).await,
            "invalid peer certificate: UnknownIssuer",
        );
        assert!(!server.steps().contains(&"auth".to_owned()));
        let other = [
            "--user",
            USER,
            "--password",
            PASSWORD,
            "--name",
            "other.example",
        ];
        let other = Server::start_with(security, &other);
        let mailer = other.mailer(&json!({}));
        assert_temporary(
            &failure(&mailer).await,
            "certificate not valid for name \"localhost\"",
        );
        assert!(!other.steps().contains(&"auth".to_owned()));
    }
}

#[tokio::test]
async fn tls_to_a_plain_port_is_temporary() {
    let server = Server::start("none");
    let mailer = server.mailer(&json!({ "security": "tls" }));
    assert_temporary(&failure(&mailer).await, "received corrupt message");
}

#[tokio::test]
async fn starttls_is_required() {
    let server = Server::start("none");
    let mailer = server.mailer(&json!({ "security": "starttls" }));
    assert_temporary(&failure(&mailer).await, "STARTTLS is not supported");
    assert!(!server.steps().contains(&"mail".to_owned()));
}
