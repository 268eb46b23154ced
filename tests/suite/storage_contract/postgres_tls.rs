//! `PostgreSQL` over TLS: reached with each check, or refused with the cause.

use domain::ports::storage::Storage;
use harness::{
    databases::open,
    encrypted_postgres::{EncryptedPostgres, PASSWORD, ServerCertificate},
};
use storage::{DatabaseUrl, DieselStorage, OpenError, OpenOptions};
use tokio::task::spawn_blocking;

async fn started() -> EncryptedPostgres {
    spawn_blocking(EncryptedPostgres::start).await.unwrap()
}

async fn opened(url: &str) -> Result<DieselStorage, OpenError> {
    DieselStorage::open(DatabaseUrl::parse(url).unwrap(), OpenOptions::default()).await
}

/// The message of the refusal.
async fn refused(url: &str) -> String {
    let error = opened(url).await.err().unwrap();
    assert!(
        matches!(
            error,
            OpenError::Refused(_) | OpenError::Certificates { .. } | OpenError::Pooler(_)
        ),
        "{error:?}"
    );
    error.to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tls_only_server_is_reached_with_each_check() {
    let mut server = started().await;
    let trusting = server.root_certificate_option();
    let (certificate, key) = (server.file("client.crt"), server.file("client.key"));
    let client = format!(
        "{trusting}&sslmode=verify-full&sslcert={}&sslkey={}",
        certificate.display(),
        key.display()
    );
    for url in [
        server.url("sslmode=require"),
        server.url(&format!("sslmode=require&{trusting}")),
        server
            .url(&format!("sslmode=verify-ca&{trusting}"))
            .replace("db.example.com", "other.example.com"),
        server.url(&format!("sslmode=verify-full&{trusting}")),
        server.url_as(
            &format!("secret:{PASSWORD}"),
            &format!("sslmode=verify-full&{trusting}"),
        ),
        server.url_as("certified", &client),
    ] {
        opened(&url)
            .await
            .unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    let url = server.url(&format!("sslmode=verify-full&{trusting}"));
    let storage = open(&url, OpenOptions::default()).await;
    storage.migrate().await.unwrap();
    storage.ping().await.unwrap();

    // Lost connections are made again, as without a tunnel.
    let server = spawn_blocking(move || {
        server.server().restart();
        server
    });
    let server = server.await.unwrap();
    storage.ping().await.unwrap();
    drop(server);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cause_of_a_failed_connection_is_reported() {
    let server = started().await;
    let trusting = server.root_certificate_option();
    let full = format!("sslmode=verify-full&{trusting}");
    let other = format!(
        "sslmode=verify-full&sslrootcert={}",
        server.file("other.pem").display()
    );
    for (url, words) in [
        (server.url("sslmode=disable"), "sslmode=verify-full"),
        (
            server
                .url(&full)
                .replace("db.example.com", "other.example.com"),
            "it is not for other.example.com, but for",
        ),
        (server.url(&other), "no authority that is trusted signed it"),
        (
            server.url("sslmode=verify-full"),
            "no authority that is trusted signed it",
        ),
        (
            server.url("sslmode=verify-full&sslrootcert=/nowhere/a.pem"),
            "/nowhere/a.pem cannot be used for TLS",
        ),
        (server.url_as("certified", &full), "client certificate"),
        (
            server.url_as("secret:wrong", &full),
            "password authentication failed for user \"secret\"",
        ),
        (
            server.url_as("nobody", &full),
            "role \"nobody\" does not exist",
        ),
        (
            server.url(&full).replace("/sightline?", "/elsewhere?"),
            "database \"elsewhere\" does not exist",
        ),
        (
            server.pooled_url(&full),
            "is reached through a pooler: set database_pooler = true",
        ),
    ] {
        let error = refused(&url).await;
        assert!(error.contains(words), "{url}: {error}");
        assert!(
            !error.contains("wrong") && !error.contains(".s.PGSQL"),
            "{error}"
        );
    }
    server.ignore_options();
    let error = refused(&server.pooled_url(&full)).await;
    assert!(error.contains("is reached through a pooler"), "{error}");
    for (shown, words) in [
        (ServerCertificate::Expired, "it has expired"),
        (ServerCertificate::OwnAuthority, "CA:TRUE"),
    ] {
        server.use_certificate(shown);
        let root = if shown == ServerCertificate::OwnAuthority {
            "server.crt"
        } else {
            "authority.pem"
        };
        let root = server.file(root);
        let url = server.url(&format!(
            "sslmode=verify-full&sslrootcert={}",
            root.display()
        ));
        let error = refused(&url).await;
        assert!(error.contains(words), "{error}");
        opened(&server.url("sslmode=require")).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_configured_pooler_is_reached_over_tls() {
    let server = started().await;
    let full = format!("sslmode=verify-full&{}", server.root_certificate_option());
    let direct = opened(&server.url(&full)).await.unwrap();
    direct.migrate().await.unwrap();
    let url = server.pooled_url(&full);
    let options = OpenOptions {
        through_pooler: true,
        ..OpenOptions::default()
    };
    let storage = DieselStorage::open(DatabaseUrl::parse(&url).unwrap(), options).await;
    storage.unwrap().ping().await.unwrap();
}
