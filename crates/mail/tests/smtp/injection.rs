//! An attacker on the path who adds replies behind the one to STARTTLS.

use crate::server::{Server, delivery};
use domain::ports::mailer::{MailFailure, Mailer};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// Relays to the server and adds `injected` to its reply to STARTTLS. Returns its port.
async fn attack(server_port: u16, injected: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut server = TcpStream::connect(("127.0.0.1", server_port))
                .await
                .unwrap();
            // Greeting, EHLO and its reply, STARTTLS.
            pass(&mut server, &mut client).await;
            pass(&mut client, &mut server).await;
            pass(&mut server, &mut client).await;
            pass(&mut client, &mut server).await;
            let mut reply = [0; 1_024];
            let read = server.read(&mut reply).await.unwrap();
            let changed = [&reply[..read], injected.as_bytes()].concat();
            client.write_all(&changed).await.unwrap();
            let _ = copy_bidirectional(&mut client, &mut server).await;
        }
    });
    port
}

async fn pass(from: &mut TcpStream, to: &mut TcpStream) {
    let mut bytes = vec![0; 4_096];
    let mut passed = Vec::new();
    loop {
        let read = from.read(&mut bytes).await.unwrap();
        passed.extend_from_slice(&bytes[..read]);
        let text = String::from_utf8_lossy(&passed);
        let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
        if text.ends_with('\n') && last.as_bytes().get(3) != Some(&b'-') {
            break;
        }
    }
    to.write_all(&passed).await.unwrap();
}

#[tokio::test]
async fn replies_added_to_the_plain_text_break_the_connection() {
    let server = Server::start("starttls");
    let own_port = server.settings(&json!({})).port();
    let honest = attack(own_port, "").await;
    let mailer = server.mailer(&json!({ "port": honest }));
    assert!(
        mailer
            .open(&delivery("ann@recipient.example"))
            .await
            .is_ok()
    );

    let attacked = attack(own_port, "250-mail.test.example\r\n250 AUTH LOGIN\r\n").await;
    let mailer = server.mailer(&json!({ "port": attacked }));
    let opened = mailer.open(&delivery("ann@recipient.example")).await;
    let failure = opened.err().expect("it is noticed");
    assert!(matches!(failure, MailFailure::Temporary(_)), "{failure:?}");
    let sign_ins = server.steps().iter().filter(|it| *it == "auth").count();
    assert_eq!(sign_ins, 1, "only the honest connection signed in");
}
