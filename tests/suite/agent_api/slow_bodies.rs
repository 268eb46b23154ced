//! Slow bodies and idle connections: unknown callers exhaust only their own slots.

use chrono::TimeDelta;
use domain::account::AccountStatus;
use futures_util::future::join_all;
use harness::{
    app::{PASSWORD, Settings, TestApp},
    browsers::Browser,
    databases::TestDatabase,
};
use reqwest::Method;
use serde_json::json;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};
use web::limits::Rate;

harness::on_sqlite![
    unknown_callers_never_take_slots_of_accepted_tokens,
    a_network_gets_only_a_share_of_the_unknown_slots,
    a_device_cookie_of_a_disabled_account_gets_no_slot,
    a_slow_body_counts_for_its_token_before_it_is_read,
    bodies_of_unknown_callers_have_stricter_limits,
    connections_per_address_are_limited,
    scarce_connections_are_not_kept_alive,
];

const SIGN_IN: &str = "POST /api/session";

/// Default limits behind a local proxy, with long body timeouts.
async fn shipped(db: &TestDatabase, change: impl FnOnce(&mut Settings)) -> TestApp {
    TestApp::with_settings(db, |config| {
        config.limits.in_flight_unknown = 64;
        config.limits.in_flight_per_address = 8;
        config.limits.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        config.unknown_body.timeout = Duration::from_mins(2);
        config.body.timeout = Duration::from_mins(2);
        change(config);
    })
    .await
}

/// Requests that send the headers and one byte of the body.
struct Slow {
    answers: mpsc::UnboundedReceiver<String>,
    sent: usize,
    _senders: JoinSet<()>,
}

impl Slow {
    /// Sends one request per set of further header lines.
    fn send(address: SocketAddr, request: &'static str, lines: Vec<String>) -> Self {
        let (sender, answers) = mpsc::unbounded_channel();
        let sent = lines.len();
        let mut senders = JoinSet::new();
        for line in lines {
            let sender = sender.clone();
            senders.spawn(async move {
                let mut stream = TcpStream::connect(address).await.unwrap();
                let head = format!(
                    "{request} HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\ncontent-type: application/json\r\ncontent-length: 100\r\n{line}\r\n\r\n{{"
                );
                stream.write_all(head.as_bytes()).await.unwrap();
                let mut answer = String::new();
                let _ = stream.read_to_string(&mut answer).await;
                let _ = sender.send(answer);
                std::future::pending::<()>().await;
            });
        }
        Self {
            answers,
            sent,
            _senders: senders,
        }
    }

    /// All responses except so many that the server waits for.
    async fn all_but(&mut self, waited_for: usize) -> Vec<String> {
        let mut answers = vec![];
        while answers.len() < self.sent - waited_for {
            let next = timeout(Duration::from_secs(30), self.answers.recv()).await;
            let have = answers.len();
            answers.push(
                next.unwrap_or_else(|_| panic!("{have} of {}", self.sent))
                    .unwrap(),
            );
        }
        let more = timeout(Duration::from_millis(500), self.answers.recv()).await;
        assert!(more.is_err(), "more than expected: {more:?}");
        answers
    }
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or("none")
}

fn from(address: &str) -> String {
    format!("x-forwarded-for: {address}")
}

async fn unknown_callers_never_take_slots_of_accepted_tokens(db: TestDatabase) {
    let app = shipped(&db, |config| config.limits.in_flight = 4).await;
    let (agent, member) = (app.db_full_agent().await, app.db_member(0).await);
    // 12 networks with eight each would be 96.
    let lines = (0..96).map(|n| from(&format!("2001:db8:{:x}::1", n / 8)));
    let mut slow = Slow::send(app.address, SIGN_IN, lines.collect());
    let refused = slow.all_but(64).await;
    for answer in &refused {
        assert_eq!(status(answer), "503", "{answer}");
        assert!(answer.contains("\"code\":\"overloaded\""), "{answer}");
        assert!(answer.contains("connection: close\r\n"), "{answer}");
    }
    for _ in 0..40 {
        agent.get("/projects").await.ok();
        member.get("/api/session").await.ok();
    }
    let anonymous = app.anonymous();
    anonymous.get("/docs").await.refused(503, "overloaded");
    // A rejected token holds no slot.
    let guess = app.bearer(&format!("sightline_agt_{}", "a".repeat(49)));
    guess.get("/projects").await.refused(401, "token-invalid");
    for path in ["/livez", "/healthz", "/readyz"] {
        agent.send(agent.request_path(Method::GET, path)).await.ok();
    }
    drop(slow);
    while anonymous.get("/docs").await.status == 503 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    anonymous.get("/docs").await.ok();
}

async fn a_network_gets_only_a_share_of_the_unknown_slots(db: TestDatabase) {
    let app = shipped(&db, |_| {}).await;
    let repeated = |addresses: Vec<String>, times| -> Vec<String> {
        let all = addresses.iter().flat_map(|it| vec![from(it); times]);
        all.collect()
    };
    let of_a_56 = (0..16)
        .map(|net| format!("2001:db8:0:{net:x}::1"))
        .collect();
    let of_a_24 = (0..9).map(|host| format!("192.0.2.{host}")).collect();
    for (addresses, times, in_flight) in [
        (vec!["198.51.100.7".to_owned()], 20, 8),
        (of_a_56, 4, 32),
        (of_a_24, 5, 32),
    ] {
        let mut slow = Slow::send(app.address, SIGN_IN, repeated(addresses, times));
        for answer in slow.all_but(in_flight).await {
            assert_eq!(status(&answer), "429", "{answer}");
            assert!(
                answer.contains("\"code\":\"concurrency-limited\""),
                "{answer}"
            );
        }
        drop(slow);
        // Other paths use the same slots.
        let anonymous = app.anonymous();
        while anonymous.get("/docs").await.status != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

async fn switch(app: &TestApp, status: AccountStatus) {
    let (core, account) = (app.core(), app.db_account().await);
    core.switch_account(domain::audit::Actor::Operator, account, status)
        .await
        .unwrap();
}

async fn a_device_cookie_of_a_disabled_account_gets_no_slot(db: TestDatabase) {
    let app = shipped(&db, |config| {
        config.limits.sign_ins = Rate::of(60, 60);
    })
    .await;
    let browser = app.db_member(0).await;
    let mark = browser.cookie("__Host-device").unwrap();
    let lines = vec![format!("cookie: __Host-device={mark}"); 30];
    let mut known = Slow::send(app.address, SIGN_IN, lines.clone());
    // Two more than the address allows, for the owner's device.
    known.all_but(8 + 2).await;
    drop(known);
    tokio::time::sleep(Duration::from_millis(500)).await;

    switch(&app, AccountStatus::Disabled).await;
    let mut disabled = Slow::send(app.address, SIGN_IN, lines);
    for answer in disabled.all_but(8).await {
        assert_eq!(status(&answer), "429", "{answer}");
    }
}

async fn a_slow_body_counts_for_its_token_before_it_is_read(db: TestDatabase) {
    let app = shipped(&db, |config| config.limits.in_flight_per_token = 2).await;
    for request in ["POST /mcp", "POST /api/agent/v1/projects"] {
        let agent = app.db_full_agent().await;
        let token = agent.token().unwrap();
        let line =
            format!("authorization: Bearer {token}\r\naccept: application/json, text/event-stream");
        let mut slow = Slow::send(app.address, request, vec![line; 2]);
        slow.all_but(2).await;
        agent
            .get("/models")
            .await
            .refused(429, "concurrency-limited");
    }
}

async fn bodies_of_unknown_callers_have_stricter_limits(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.unknown_body.timeout = Duration::from_millis(50);
    })
    .await;
    for request in [
        SIGN_IN,
        "POST /api/welcome",
        "POST /api/token-revocations",
        "POST /api/policy-reports",
    ] {
        let line = format!("user-agent: {request}");
        let mut slow = Slow::send(app.address, request, vec![line]);
        let answer = slow.all_but(0).await.remove(0);
        assert_eq!(status(&answer), "408", "{request}: {answer}");
    }
    let browser = app.browser();
    let sized = |bytes: usize| {
        let frame = json!({ "email": "ann@example.com", "password": "" }).to_string();
        json!({ "email": "ann@example.com", "password": "x".repeat(bytes - frame.len()) })
    };
    let fits = browser.post("/api/session", sized(4_096)).await;
    assert_eq!(fits.errors()[0].0, "/password");
    let answer = browser.post("/api/session", sized(4_097)).await;
    let problem = answer.refused(413, "payload-too-large");
    assert_eq!(problem["limitBytes"], 4_096);
    // The longest password, of the widest characters.
    let long = json!({ "email": "ann@example.com", "password": "𝒂".repeat(256) });
    let answer = browser.post("/api/session", long).await;
    answer.refused(401, "sign-in-refused");
}

/// Connections with one answered request each.
async fn connected(address: SocketAddr, wanted: usize) -> Vec<(TcpStream, String)> {
    let connecting = (0..wanted).map(|_| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = "GET /livez HTTP/1.1\r\nhost: x\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        let mut bytes = [0; 4_096];
        let read = timeout(Duration::from_secs(30), stream.read(&mut bytes)).await;
        let length = read.unwrap().unwrap_or(0);
        let answer = String::from_utf8_lossy(&bytes[..length]).into_owned();
        (length > 0).then_some((stream, answer))
    });
    join_all(connecting).await.into_iter().flatten().collect()
}

async fn connections_per_address_are_limited(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.limits.connections_per_address = 4;
        config.limits.uncounted_networks = vec![];
    })
    .await;
    let kept = connected(app.address, 7).await;
    assert_eq!(kept.len(), 4);
    drop(kept);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(connected(app.address, 1).await.len(), 1);
}

async fn scarce_connections_are_not_kept_alive(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| config.limits.connections = 8).await;
    let kept = connected(app.address, 5).await;
    let closes = |answer: &str| answer.contains("connection: close\r\n");
    assert!(kept.iter().all(|(_, answer)| !closes(answer)));
    let more = connected(app.address, 1).await;
    assert!(closes(&more[0].1), "{}", more[0].1);
}

mod device_cookies {
    use super::*;

    harness::on_sqlite![
        device_cookies_end_with_account_password_or_expiry,
        signing_out_everywhere_revokes_device_cookies,
        without_device_slots_sign_ins_use_the_address_slots,
    ];

    /// Exhausts the sign-in rate of the address.
    async fn use_up(app: &TestApp) {
        for number in 0..11 {
            let email = format!("somebody{number}@example.com");
            app.browser().sign_in(&email, "another walrus").await;
        }
    }

    async fn with_ten_attempts(db: &TestDatabase) -> (TestApp, Browser) {
        let app =
            TestApp::with_settings(db, |config| config.limits.sign_ins = Rate::of(10, 10)).await;
        let known = app.db_member(0).await;
        (app, known)
    }

    /// A browser with only the copied device mark.
    fn with_mark_of(app: &TestApp, known: &Browser) -> Browser {
        let browser = app.browser();
        browser.set_cookie("__Host-device", known.cookie("__Host-device").as_deref());
        browser
    }

    async fn signing_out_everywhere_revokes_device_cookies(db: TestDatabase) {
        let (app, here) = with_ten_attempts(&db).await;
        let kept = with_mark_of(&app, &here);
        let sign_in = async |browser: &Browser| {
            browser.set_cookie("__Host-sid", None);
            browser.sign_in("owner0@example.com", PASSWORD).await
        };
        use_up(&app).await;
        sign_in(&kept).await.ok();
        app.clock.advance(TimeDelta::minutes(2));
        // Ending other sessions renews this device's mark.
        here.sign_in("owner0@example.com", PASSWORD).await.ok();
        let old = with_mark_of(&app, &here);
        app.clock.advance(TimeDelta::seconds(1));
        here.delete("/api/settings/sessions").await.ok();
        app.clock.advance(TimeDelta::minutes(2));
        use_up(&app).await;
        for withdrawn in [&kept, &old] {
            sign_in(withdrawn).await.refused(429, "rate-limited");
        }
        sign_in(&here).await.ok();

        let old = with_mark_of(&app, &here);
        app.clock.advance(TimeDelta::minutes(2));
        here.delete("/api/session?everywhere=true").await.ok();
        use_up(&app).await;
        for withdrawn in [&here, &old] {
            sign_in(withdrawn).await.refused(429, "rate-limited");
        }
    }

    async fn without_device_slots_sign_ins_use_the_address_slots(db: TestDatabase) {
        let (app, known) = with_ten_attempts(&db).await;
        let kept = with_mark_of(&app, &known);
        let guess = async |number: u32| {
            let email = format!("somebody{number}@example.com");
            kept.sign_in(&email, "another walrus").await
        };
        let mut statuses = vec![];
        for number in 0..20 {
            statuses.push(guess(number).await.status.as_u16());
        }
        // Ten by the mark, and nine by the address, from which the owner signed in once.
        assert_eq!(statuses, [[401; 19].as_slice(), &[429]].concat());
        app.clock.advance(TimeDelta::minutes(2));
        for number in 0..10 {
            guess(number).await;
        }
        known.set_cookie("__Host-sid", None);
        known.sign_in("owner0@example.com", PASSWORD).await.ok();
    }

    async fn device_cookies_end_with_account_password_or_expiry(db: TestDatabase) {
        let (app, known) = with_ten_attempts(&db).await;
        let owner = app.db_owner(0).await;
        let email = owner.email.as_str();
        let sign_in = async || {
            known.set_cookie("__Host-sid", None);
            known.sign_in(email, PASSWORD).await
        };
        use_up(&app).await;
        sign_in().await.ok();

        app.clock.advance(TimeDelta::minutes(2));
        switch(&app, AccountStatus::Disabled).await;
        use_up(&app).await;
        sign_in().await.refused(429, "rate-limited");
        switch(&app, AccountStatus::Active).await;
        sign_in().await.ok();

        app.clock.advance(TimeDelta::minutes(2));
        let (core, hasher) = (app.core(), app.hasher());
        let set = core.set_password(hasher.as_ref(), &owner, PASSWORD, false);
        set.await.unwrap();
        use_up(&app).await;
        sign_in().await.refused(429, "rate-limited");

        app.clock.advance(TimeDelta::minutes(2));
        sign_in().await.ok();
        app.clock.advance(TimeDelta::days(89));
        use_up(&app).await;
        sign_in().await.ok();
        app.clock.advance(TimeDelta::days(90));
        use_up(&app).await;
        sign_in().await.refused(429, "rate-limited");
    }
}
