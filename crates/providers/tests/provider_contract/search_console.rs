//! Search Console's API through a service account: documented responses and all kinds of failure.

use super::{
    Half, Noon,
    fault_server::{FaultServer, Received, Reply},
    quick,
};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use chrono::NaiveDate;
use domain::{
    ports::{
        clock::Clock,
        randomness::Randomness,
        search_console::{SearchConsole, SearchConsoleError},
        search_results::ProviderError,
    },
    search_console::{ConsoleDevice, DimensionSet, Property, RowSubject, SearchRow, Span},
};
use providers::search_console::{SearchConsoleSettings, configured};
use rcgen::{KeyPair, PKCS_RSA_SHA256, PublicKeyData, RsaKeySize};
use rustls::crypto::aws_lc_rs;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
    time::Duration,
};

const ACCOUNT: &str = "sightline@project.iam.gserviceaccount.com";
const TOKEN: &str = "ya29.token-that-nobody-may-see";

/// Generated once: it is slow.
static KEY: LazyLock<KeyPair> = LazyLock::new(|| {
    KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).expect("a key")
});

/// PEM, as in key files.
fn pem(key: &KeyPair) -> String {
    let text = STANDARD.encode(key.serialize_der());
    let lines: Vec<&str> = { text.as_bytes().chunks(64) }
        .map(|it| std::str::from_utf8(it).expect("ASCII"))
        .collect();
    format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        lines.join("\n")
    )
}

/// A key file in the format of Google's console.
fn key_file(name: &str, content: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("{name}-{}.json", std::process::id()));
    std::fs::write(&path, content).expect("written");
    path
}

fn key() -> Value {
    json!({
        "type": "service_account",
        "project_id": "project",
        "private_key_id": "f00",
        "private_key": pem(&KEY),
        "client_email": ACCOUNT,
        "token_uri": "https://oauth2.googleapis.com/token",
    })
}

fn console(server: &FaultServer, name: &str) -> Arc<dyn SearchConsole> {
    with_key(server, Some(key_file(name, &key().to_string())))
}

fn with_key(server: &FaultServer, key_file: Option<PathBuf>) -> Arc<dyn SearchConsole> {
    let settings = SearchConsoleSettings {
        key_file,
        base_url: server.address(""),
        token_url: server.address("/token"),
        resilience: quick(),
        ..SearchConsoleSettings::default()
    };
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    let randomness: Arc<dyn Randomness> = Arc::new(Half);
    configured(&settings, &clock, &randomness)
}

fn property() -> Property {
    Property::accepted("sc-domain:acme.com".to_owned())
}

fn day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 1).expect("a day")
}

fn is_for_token(received: &Received) -> bool {
    received.head.starts_with("POST /token")
}

fn granted() -> Reply {
    Reply::ok(&json!({"access_token": TOKEN, "expires_in": 3599, "token_type": "Bearer"}))
}

/// Grants tokens, and replies to queries with `answer`.
async fn answering(
    answer: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static,
) -> FaultServer {
    FaultServer::scripted(move |call, received| {
        if received.head.is_empty() || !is_for_token(received) {
            answer(call, received)
        } else {
            granted()
        }
    })
    .await
}

async fn always(reply: Reply) -> FaultServer {
    answering(move |_, _| reply.clone()).await
}

async fn rows(server: &FaultServer, name: &str) -> Result<Vec<SearchRow>, SearchConsoleError> {
    let cut = DimensionSet::by_market(RowSubject::QueryAndPage);
    console(server, name)
        .rows(&property(), day(), cut, 25_000)
        .await
}

fn wire_row(n: u64) -> Value {
    json!({
        "keys": [format!("query {n}"), "https://acme.com/a", "usa", "MOBILE"],
        "clicks": 3.0, "impressions": 40, "ctr": 0.075, "position": 4.25,
    })
}

fn decoded(part: &str) -> Value {
    let bytes = URL_SAFE_NO_PAD.decode(part).expect("base64");
    serde_json::from_slice(&bytes).expect("JSON")
}

#[tokio::test]
async fn request_has_the_documented_format_and_a_token() {
    let server = always(Reply::ok(&json!({
        "rows": [wire_row(1), wire_row(2)],
        "responseAggregationType": "byPage",
    })))
    .await;
    let console = console(&server, "shape");
    let cut = DimensionSet::by_market(RowSubject::QueryAndPage);
    let rows = console
        .rows(&property(), day(), cut, 25_000)
        .await
        .expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(
        rows[0],
        SearchRow {
            query: Some("query 1".to_owned()),
            page: Some("https://acme.com/a".to_owned()),
            country: domain::search_console::ConsoleCountry::parse("us"),
            device: Some(ConsoleDevice::Mobile),
            clicks: 3,
            impressions: 40,
            position: Some(4.25),
        }
    );
    console
        .rows(&property(), day(), cut, 25_000)
        .await
        .expect("rows");
    let received = server.received();
    assert_eq!(received.len(), 3, "the token is used again");

    let form = &received[0];
    assert!(
        form.head
            .to_lowercase()
            .contains("content-type: application/x-www-form-urlencoded")
    );
    let form: std::collections::HashMap<String, String> =
        url::form_urlencoded::parse(form.body.as_bytes())
            .into_owned()
            .collect();
    assert_eq!(
        form["grant_type"],
        "urn:ietf:params:oauth:grant-type:jwt-bearer"
    );
    let parts: Vec<&str> = form["assertion"].split('.').collect();
    assert_eq!(
        decoded(parts[0]),
        json!({"alg": "RS256", "typ": "JWT", "kid": "f00"})
    );
    let claims = decoded(parts[1]);
    let now = Noon.now().timestamp();
    assert_eq!(
        claims,
        json!({
            "iss": ACCOUNT,
            "scope": "https://www.googleapis.com/auth/webmasters.readonly",
            "aud": server.url().join("/token").expect("an address").as_str(),
            "iat": now,
            "exp": now + 3600,
        })
    );
    verify(&format!("{}.{}", parts[0], parts[1]), parts[2]);

    let request = &received[1];
    assert!(
        request.head.starts_with(
            "POST /webmasters/v3/sites/sc-domain:acme.com/searchAnalytics/query HTTP/1.1"
        ),
        "{}",
        request.head
    );
    assert!(request.head.contains(&format!("Bearer {TOKEN}")));
    assert_eq!(
        request.json(),
        json!({
            "startDate": "2026-11-01",
            "endDate": "2026-11-01",
            "dimensions": ["query", "page", "country", "device"],
            "type": "web",
            "dataState": "final",
            "rowLimit": 10_000,
            "startRow": 0,
        })
    );
}

/// Checks RS256 with the public key.
fn verify(message: &str, signature: &str) {
    let signature = URL_SAFE_NO_PAD.decode(signature).expect("base64");
    let algorithms = aws_lc_rs::default_provider().signature_verification_algorithms;
    let is_good = algorithms.all.iter().any(|it| {
        it.verify_signature(KEY.der_bytes(), message.as_bytes(), &signature)
            .is_ok()
    });
    assert!(is_good, "the signature is not that of the key");
}

#[tokio::test]
async fn url_property_is_one_path_segment() {
    let server = always(Reply::ok(&json!({}))).await;
    let property = Property::accepted("https://www.acme.com/".to_owned());
    let client = console(&server, "address");
    let rows = client
        .rows(
            &property,
            day(),
            DimensionSet::aggregated(RowSubject::Site),
            9,
        )
        .await;
    assert_eq!(rows, Ok(vec![]), "no rows are no failure");
    let head = &server.received()[1].head;
    assert!(
        head.contains("/sites/https:%2F%2Fwww.acme.com%2F/searchAnalytics/query"),
        "{head}"
    );
}

#[tokio::test]
async fn paging_ends_at_a_short_page() {
    let server = answering(|_, received| {
        if received.head.is_empty() {
            return granted();
        }
        let body = received.json();
        let (start, limit) = (body["startRow"].as_u64(), body["rowLimit"].as_u64());
        let (start, limit) = (start.expect("a start"), limit.expect("a limit"));
        let rows = (start..(start + limit).min(12_345)).map(wire_row);
        Reply::ok(&json!({"rows": rows.collect::<Vec<_>>()}))
    })
    .await;
    let rows = rows(&server, "paged").await.expect("rows");
    assert_eq!(rows.len(), 12_345);
    assert_eq!(rows[12_344].query.as_deref(), Some("query 12344"));
    let starts: Vec<Value> = server.received()[1..]
        .iter()
        .map(|it| it.json()["startRow"].clone())
        .collect();
    assert_eq!(starts, [json!(0), json!(10_000)]);
    // As many as may be kept, and no more.
    let console = console(&server, "paged");
    let cut = DimensionSet::by_market(RowSubject::QueryAndPage);
    let some = console
        .rows(&property(), day(), cut, 10_050)
        .await
        .expect("rows");
    assert_eq!(some.len(), 10_050);
}

#[tokio::test]
async fn the_last_final_day_is_the_last_with_rows() {
    let row = |day: &str| json!({"keys": [day], "clicks": 1, "impressions": 9, "ctr": 0.1, "position": 2});
    let server = always(Reply::ok(
        &json!({"rows": [row("2026-11-02"), row("2026-11-04")]}),
    ))
    .await;
    let among =
        Span::between(day(), NaiveDate::from_ymd_opt(2026, 11, 9).expect("a day")).expect("days");
    let found = console(&server, "final")
        .last_final_day(&property(), among)
        .await;
    assert_eq!(found, Ok(NaiveDate::from_ymd_opt(2026, 11, 4)));
    assert_eq!(server.received()[1].json()["dimensions"], json!(["date"]));
    let server = always(Reply::ok(&json!({"rows": [row("2026-12-24")]}))).await;
    let found = console(&server, "final")
        .last_final_day(&property(), among)
        .await;
    assert!(matches!(
        found,
        Err(SearchConsoleError::Provider(
            ProviderError::Malformed { .. }
        ))
    ));
}

fn failing(code: u16, reason: &str, message: &str) -> Reply {
    Reply::status(
        code,
        &json!({"error": {"code": code, "message": message, "errors": [{"domain": "global", "reason": reason, "message": message}]}}),
    )
}

#[tokio::test]
async fn failures_map_to_their_errors() {
    let malformed = |reason: &str| {
        SearchConsoleError::Provider(ProviderError::Malformed {
            problem: reason.to_owned(),
        })
    };
    let no_access = || SearchConsoleError::NoAccess {
        service_account: ACCOUNT.to_owned(),
        property: "sc-domain:acme.com".to_owned(),
    };
    let hostile = |row: Value| Reply::ok(&json!({"rows": [row]}));
    let row = |keys: Value, clicks: Value, position: Value| {
        hostile(
            json!({"keys": keys, "clicks": clicks, "impressions": 5, "ctr": 0, "position": position}),
        )
    };
    let keys = json!(["a", "https://acme.com/", "usa", "DESKTOP"]);
    let cases = [
        (
            failing(
                403,
                "forbidden",
                "User does not have sufficient permission for site",
            ),
            no_access(),
        ),
        (failing(404, "notFound", "not found"), no_access()),
        (
            failing(400, "invalidParameter", "Invalid value at startDate"),
            SearchConsoleError::Provider(ProviderError::Refused {
                reason: "Invalid value at startDate".to_owned(),
            }),
        ),
        (
            Reply::Status(200, &[], "{\"rows\": [".to_owned()),
            malformed("it is not a table of rows"),
        ),
        (
            Reply::Status(200, &[], "<html>".to_owned()),
            malformed("it is not a table of rows"),
        ),
        (
            Reply::CutShort("{\"rows\": []}".to_owned()),
            malformed("it ended before its end"),
        ),
        (
            Reply::Huge(30 * 1024 * 1024),
            malformed("it is longer than 20 MiB"),
        ),
        (
            row(json!(["a"]), json!(1), json!(1)),
            malformed("a row has other keys than were requested"),
        ),
        (
            row(keys.clone(), json!(-1), json!(1)),
            malformed("a count is none"),
        ),
        (
            row(keys.clone(), json!(1.5), json!(1)),
            malformed("a count is none"),
        ),
        (
            row(keys.clone(), json!(1e300), json!(1)),
            malformed("a count is none"),
        ),
        (
            row(keys, json!(1), json!(-7)),
            malformed("a position is none"),
        ),
        (
            row(json!(["a", "b", "nowhere", "DESKTOP"]), json!(1), json!(1)),
            malformed("a country is none"),
        ),
        (
            row(json!(["a", "b", "usa", "TOASTER"]), json!(1), json!(1)),
            malformed("a device is none"),
        ),
    ];
    for (reply, expected) in cases {
        let server = always(reply.clone()).await;
        let outcome = rows(&server, "failures").await;
        assert_eq!(outcome, Err(expected), "{reply:?}");
    }
}

#[tokio::test]
async fn outages_and_rate_limits_are_retried_within_limits() {
    let limited =
        |retry_after| SearchConsoleError::Provider(ProviderError::RateLimited { retry_after });
    for (reply, expected) in [
        (
            failing(503, "backendError", "later"),
            ProviderError::Unavailable.into(),
        ),
        (
            failing(403, "quotaExceeded", "Search Analytics load quota exceeded"),
            limited(None),
        ),
        (
            failing(429, "rateLimitExceeded", "slow down"),
            limited(None),
        ),
    ] {
        let server = always(reply.clone()).await;
        assert_eq!(rows(&server, "outage").await, Err(expected), "{reply:?}");
        assert_eq!(server.calls(), 4, "a token and three questions: {reply:?}");
    }
    let rate_limited = Reply::Status(429, &[("retry-after", "3600")], "{}".to_owned());
    let outcome = rows(&always(rate_limited).await, "patience").await;
    assert_eq!(outcome, Err(limited(Some(Duration::from_hours(1)))));
    let server = answering(|call, _| {
        if call == 1 {
            Reply::Reset
        } else {
            Reply::ok(&json!({}))
        }
    })
    .await;
    assert_eq!(rows(&server, "reset").await, Ok(vec![]));
}

#[tokio::test]
async fn rejected_token_is_renewed_once() {
    let server = answering(|call, _| {
        if call == 1 {
            failing(401, "authError", "Invalid Credentials")
        } else {
            Reply::ok(&json!({}))
        }
    })
    .await;
    assert_eq!(rows(&server, "expired").await, Ok(vec![]));
    let tokens = server
        .received()
        .iter()
        .filter(|it| is_for_token(it))
        .count();
    assert_eq!((tokens, server.calls()), (2, 4));
    let server = always(failing(401, "authError", "Invalid Credentials")).await;
    let outcome = rows(&server, "expired").await;
    assert_eq!(outcome, Err(ProviderError::Unauthorized.into()));
    assert_eq!(server.calls(), 4);
}

#[tokio::test]
async fn revoked_key_is_reported() {
    let taken = json!({"error": "invalid_grant", "error_description": "Invalid JWT Signature."});
    let server = FaultServer::always(Reply::status(400, &taken)).await;
    let outcome = rows(&server, "taken").await;
    assert_eq!(outcome, Err(ProviderError::Unauthorized.into()));
    assert_eq!(server.calls(), 1);
    let server = FaultServer::always(Reply::ok(&json!({"token": 1}))).await;
    let outcome = rows(&server, "taken").await;
    assert!(matches!(
        outcome,
        Err(SearchConsoleError::Provider(
            ProviderError::Malformed { .. }
        ))
    ));
}

#[tokio::test]
async fn invalid_key_file_is_reported_without_its_content() {
    let server = always(Reply::ok(&json!({}))).await;
    let secret = "canary-0123456789";
    let other = json!({"type": "authorized_user", "client_email": ACCOUNT, "private_key": secret});
    let no_rsa = json!({"type": "service_account", "client_email": ACCOUNT, "private_key": secret});
    for content in [
        secret.to_owned(),
        other.to_string(),
        no_rsa.to_string(),
        "x".repeat(70_000),
    ] {
        let path = key_file("wrong", &content);
        let client = with_key(&server, Some(path));
        assert_eq!(client.missing(), None);
        let outcome = client
            .rows(
                &property(),
                day(),
                DimensionSet::aggregated(RowSubject::Site),
                9,
            )
            .await;
        let Err(SearchConsoleError::NotConfigured(not_configured)) = outcome else {
            panic!("{outcome:?}");
        };
        assert!(
            !not_configured.to_string().contains(secret),
            "{not_configured}"
        );
    }
    let nowhere = with_key(&server, Some(PathBuf::from("/nowhere/key.json")));
    let outcome = nowhere
        .rows(
            &property(),
            day(),
            DimensionSet::aggregated(RowSubject::Site),
            9,
        )
        .await;
    assert!(
        matches!(outcome, Err(SearchConsoleError::NotConfigured(_))),
        "{outcome:?}"
    );
    let without = with_key(&server, None);
    let missing = without.missing().expect("something is missing");
    assert!(
        missing.to_string().contains("search_console.key_file"),
        "{missing}"
    );
    assert_eq!(server.calls(), 0);
}
