//! Messages that the server accepts, and how the connection is encrypted.

use crate::server::{PASSWORD, Server, USER, delivery, letter};
use domain::ports::mailer::{MailFailure, Mailer};
use mail::{Probe, SmtpMailer};
use mail_parser::MessageParser;
use serde_json::json;

const ANN: &str = "ann@recipient.example";

async fn send(mailer: &SmtpMailer, to: &str) -> Result<String, MailFailure> {
    mailer.open(&delivery(to)).await?.send(&letter(to)).await
}

#[tokio::test]
async fn messages_arrive_with_each_kind_of_security() {
    for (security, is_encrypted) in [("starttls", true), ("tls", true), ("none", false)] {
        let server = Server::start(security);
        let mailer = server.mailer(&json!({}));
        let reply = send(&mailer, ANN).await.unwrap();
        assert_eq!(reply, "250 2.0.0 Accepted for tests");
        let messages = server.messages();
        let [message] = messages.as_slice() else {
            panic!("{messages:?}");
        };
        assert_eq!(message["from"], "sightline@sender.example");
        assert_eq!(message["to"], json!([ANN]));
        assert_eq!(message["ehlo"], "sender.example");
        assert_eq!(message["tls"], is_encrypted, "{security}");
        let user = is_encrypted.then_some(USER);
        assert_eq!(message["user"], json!(user));
        server.await_step("quit", 1).await;
    }
}

#[tokio::test]
async fn message_is_mime_with_two_equal_parts() {
    let server = Server::start("none");
    let mailer = server.mailer(&json!({ "reply_to": "help@sender.example" }));
    send(&mailer, ANN).await.unwrap();
    let data = server.messages()[0]["data"].as_str().unwrap().to_owned();
    let message = MessageParser::default().parse(data.as_bytes()).unwrap();
    let header = |name: &str| {
        message
            .header_raw(name.to_owned())
            .unwrap_or_default()
            .trim()
    };
    assert_eq!(header("Message-ID"), "<7-42@sender.example>");
    assert_eq!(header("Date"), "Mon, 30 Nov 2026 00:53:20 +0000");
    assert_eq!(header("From"), "Sightline <sightline@sender.example>");
    assert_eq!(header("To"), ANN);
    assert_eq!(header("Reply-To"), "help@sender.example");
    assert_eq!(header("Auto-Submitted"), "auto-generated");
    assert_eq!(header("List-Unsubscribe"), "");
    let expected = mail::render(&letter(ANN));
    assert_eq!(message.subject(), Some(expected.subject.as_str()));
    let text = message.body_text(0).unwrap().replace("\r\n", "\n");
    assert_eq!(text, expected.text);
    let html = message.body_html(0).unwrap().replace("\r\n", "\n");
    assert_eq!(html.trim_end(), expected.html);
}

#[tokio::test]
async fn bounces_return_to_an_address_of_the_delivery() {
    let server = Server::start("none");
    let changes =
        json!({ "bounce_domain": "bounces.sender.example", "ehlo": "web1.sender.example" });
    send(&server.mailer(&changes), ANN).await.unwrap();
    let message = &server.messages()[0];
    assert_eq!(message["from"], "bounce+7-42@bounces.sender.example");
    assert_eq!(message["ehlo"], "web1.sender.example");
}

#[tokio::test]
async fn dropped_transfer_sends_nothing() {
    for security in ["starttls", "none"] {
        let server = Server::start(security);
        let mailer = server.mailer(&json!({}));
        let transfer = mailer.open(&delivery(ANN)).await.unwrap();
        assert_eq!(server.steps().last().unwrap(), "data");
        drop(transfer);
        server.await_step("end", 1).await;
        assert!(server.messages().is_empty());
        send(&mailer, ANN).await.unwrap();
        assert_eq!(server.messages().len(), 1);
    }
}

#[tokio::test]
async fn sending_that_is_stopped_after_the_text_is_not_repeated() {
    let server = Server::start("none");
    server.rules(&json!([{ "at": "text", "reply": "hang" }]));
    let mailer = server.mailer(&json!({}));
    let sending = tokio::spawn(async move { send(&mailer, ANN).await });
    server.await_step("text", 1).await;
    sending.abort();
    server.await_step("end", 1).await;
    assert_eq!(server.messages().len(), 1);
}

#[tokio::test]
async fn probe_reports_encryption_and_sign_in() {
    for (security, is_secure) in [("starttls", true), ("tls", true), ("none", false)] {
        let server = Server::start(security);
        let settings = server.settings(&json!({}));
        let probe = server.mailer(&json!({})).probe().await.unwrap();
        let expected = Probe {
            server: format!("localhost:{}", settings.port()),
            name: "mail.test.example".to_owned(),
            is_encrypted: is_secure,
            is_signed_in: is_secure,
        };
        assert_eq!(probe, expected);
        server.await_step("quit", 1).await;
        assert!(!server.steps().contains(&"mail".to_owned()));
    }
}

#[tokio::test]
async fn login_is_used_where_plain_is_not_offered() {
    let login = ["--user", USER, "--password", PASSWORD, "--without", "PLAIN"];
    let server = Server::start_with("starttls", &login);
    send(&server.mailer(&json!({})), ANN).await.unwrap();
    assert_eq!(server.messages()[0]["user"], USER);
}
