//! The token is sent to the server alone, and the server must prove its identity.

use crate::{
    client::{Client, TOKEN, settings},
    server::{Received, Server, Step, answer, result},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use bridge::Trust;
use rustls::{
    ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use std::{
    fs, io,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_rustls::TlsAcceptor;
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("a lock").clone()).expect("UTF-8")
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn listen(log: &Log) -> tracing::subscriber::DefaultGuard {
    let lines = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone());
    tracing::subscriber::set_default(lines.finish())
}

#[tokio::test]
async fn token_is_never_written_or_logged() {
    let log = Log::default();
    let _guard = listen(&log);
    let problem = |request: &Received| {
        let bearer = request.header("authorization").unwrap();
        format!("{{\"title\":\"No\",\"detail\":\"{bearer} is wrong.\"}}")
    };
    let server = Server::start(move |request: &Received| match request.method().as_str() {
        "refused" | "notifications/refused" => {
            answer(401, "application/problem+json", &problem(request))
        }
        "held" => vec![Step::AwaitDisconnect],
        _ => result(request, request.header("authorization").unwrap()),
    })
    .await;
    let mut settings = settings(&server.url());
    settings.limits.idle_timeout = Duration::from_secs(2);
    let mut talk = Client::start(settings);
    for line in [
        r#"{"id":1,"method":"refused"}"#,
        r#"{"method":"notifications/refused"}"#,
        r#"{"id":2,"method":"held"}"#,
        r#"{"id":3,"method":"ping"}"#,
        "nonsense",
    ] {
        talk.send(line).await;
    }
    server.wait_for_requests(4).await;
    let (lines, _) = talk.end().await;
    let lines = lines.join("\n");
    assert!(lines.contains("Bearer (hidden) is wrong."), "{lines}");
    assert!(lines.contains("\"result\":\"Bearer (hidden)\""), "{lines}");
    assert!(!lines.contains(TOKEN), "{lines}");
    let log = log.text();
    assert!(
        log.contains("A message was not taken: No: Bearer (hidden) is wrong."),
        "{log}"
    );
    assert!(!log.contains(TOKEN), "{log}");
}

#[tokio::test]
async fn unencrypted_token_is_warned_of_once() {
    for (url, times) in [
        ("http://192.0.2.1", 1),
        ("https://192.0.2.1", 0),
        ("http://127.0.0.1:9", 0),
    ] {
        let log = Log::default();
        let _guard = listen(&log);
        let talk = Client::connect(url);
        talk.end().await;
        let log = log.text();
        assert_eq!(log.matches("is not encrypted").count(), times, "{log}");
    }
}

/// A TLS acceptor with a private authority, and that authority as PEM.
fn private_authority() -> (TlsAcceptor, String) {
    let mut params = rcgen::CertificateParams::new(Vec::new()).expect("it is fixed");
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let key = rcgen::KeyPair::generate().expect("it is fixed");
    let authority = params.self_signed(&key).expect("it is fixed");
    let pem = pem(&authority);
    let issuer = rcgen::Issuer::new(params, key);
    let server_key = rcgen::KeyPair::generate().expect("it is fixed");
    let server = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()])
        .expect("it is fixed")
        .signed_by(&server_key, &issuer)
        .expect("it is fixed");
    (accepting(&server, &server_key), pem)
}

/// The same with a self-signed certificate, as `openssl req -x509` makes it.
fn self_signed(is_ca: rcgen::IsCa) -> (TlsAcceptor, String) {
    let names = vec!["127.0.0.1".to_owned()];
    let mut params = rcgen::CertificateParams::new(names).expect("it is fixed");
    params.is_ca = is_ca;
    let key = rcgen::KeyPair::generate().expect("it is fixed");
    let own = params.self_signed(&key).expect("it is fixed");
    (accepting(&own, &key), pem(&own))
}

fn pem(certificate: &rcgen::Certificate) -> String {
    let text = BASE64_STANDARD.encode(certificate.der());
    format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
}

fn accepting(server: &rcgen::Certificate, key: &rcgen::KeyPair) -> TlsAcceptor {
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("it is fixed")
        .with_no_client_auth()
        .with_single_cert(vec![server.der().clone()], private)
        .expect("it is fixed");
    TlsAcceptor::from(Arc::new(config))
}

fn trusting(url: &str, pem: &str) -> Client {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("authority.pem");
    fs::write(&path, pem).expect("a file");
    let mut settings = settings(url);
    settings.trust = Trust::with_file(&path).expect("an authority");
    Client::start(settings)
}

#[tokio::test]
async fn self_signed_certificate_is_trusted_unless_marked_as_ca() {
    let as_openssl_makes_it = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    for (mark, is_trusted) in [
        (rcgen::IsCa::ExplicitNoCa, true),
        (as_openssl_makes_it, false),
    ] {
        let (acceptor, pem) = self_signed(mark);
        let server =
            Server::start_encrypted(acceptor, |request: &Received| result(request, "done")).await;
        let mut talk = trusting(&server.url(), &pem);
        talk.send(r#"{"id":1,"method":"ping"}"#).await;
        let response = talk.receive().await;
        if is_trusted {
            assert_eq!(response["result"], "done");
        } else {
            let message = response["error"]["message"].as_str().unwrap();
            assert!(message.contains("CA:FALSE"), "{message}");
        }
    }
}

#[tokio::test]
async fn private_ca_is_trusted_when_configured() {
    let (acceptor, pem) = private_authority();
    let server =
        Server::start_encrypted(acceptor, |request: &Received| result(request, "done")).await;
    let mut talk = Client::connect(&server.url());
    talk.send(r#"{"id":1,"method":"ping"}"#).await;
    let response = talk.receive().await;
    let message = response["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("certificate") && message.contains("--trust"),
        "{message}"
    );
    assert!(server.received().is_empty());

    let mut talk = trusting(&server.url(), &pem);
    talk.send(r#"{"id":1,"method":"ping"}"#).await;
    assert_eq!(talk.receive().await["result"], "done");
}
