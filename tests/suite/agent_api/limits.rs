//! Rate and concurrency limits: the remainder is reported, excess requests are refused, and waiting for Retry-After
//! suffices.

use chrono::TimeDelta;
use domain::scope::Scope;
use harness::{
    app::TestApp,
    callers::{Answer, Caller},
    databases::TestDatabase,
};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use tokio::{io::AsyncWriteExt, net::TcpStream};
use web::limits::{Rate, RequestLimits};

harness::on_sqlite![
    remaining_requests_are_reported_until_the_refusal,
    waiting_for_retry_after_is_enough,
    an_accounts_tokens_share_its_rate,
    writes_and_analyses_have_rates_of_their_own,
    rate_limits_are_checked_after_token_and_scope,
    failed_tokens_are_limited_without_blocking_others,
    only_trusted_proxies_set_the_client_address,
    concurrent_requests_are_limited,
    a_full_server_returns_503_but_livez_succeeds,
    a_wait_ends_on_client_disconnect,
];

async fn limited(db: &TestDatabase, change: impl FnOnce(&mut RequestLimits)) -> TestApp {
    TestApp::with_settings(db, |config| change(&mut config.limits)).await
}

/// `r` and `t` of a policy in a `RateLimit` field.
fn left(answer: &Answer, policy: &str) -> (u64, u64) {
    let field = answer.header("ratelimit");
    let items = field
        .split(", ")
        .find_map(|item| item.strip_prefix(&format!("\"{policy}\";r=")));
    let (rest, reset) = items.expect(field).split_once(";t=").expect(field);
    (rest.parse().unwrap(), reset.parse().unwrap())
}

async fn remaining_requests_are_reported_until_the_refusal(db: TestDatabase) {
    // One per second.
    let app = limited(&db, |it| it.reads = Rate::of(60, 3)).await;
    let agent = app.db_full_agent().await;
    for expected in [(2, 1), (1, 2), (0, 3)] {
        let answer = agent.get("/projects").await;
        answer.ok();
        assert_eq!(left(&answer, "reads"), expected);
        assert!(
            answer
                .header("ratelimit-policy")
                .starts_with("\"reads\";q=3;w=3, \"account\";q="),
            "{}",
            answer.header("ratelimit-policy")
        );
    }
    let refused = agent.get("/projects").await;
    let problem = refused.refused(429, "rate-limited");
    assert_eq!(problem["violated-policies"], json!(["reads"]));
    assert_eq!(problem["retryable"], true);
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(left(&refused, "reads"), (0, 3));
    assert_eq!(agent.head("/projects").await.status.as_u16(), 429);
}

async fn waiting_for_retry_after_is_enough(db: TestDatabase) {
    // One per four seconds.
    let app = limited(&db, |it| it.reads = Rate::of(15, 2)).await;
    let agent = app.db_full_agent().await;
    for _ in 0..2 {
        agent.get("/models").await.ok();
    }
    app.clock.advance(TimeDelta::milliseconds(1_500));
    let refused = agent.get("/models").await;
    let wait: i64 = refused.header("retry-after").parse().unwrap();
    assert_eq!(wait, 3, "rounded up, never down");
    app.clock.advance(TimeDelta::seconds(wait - 1));
    agent.get("/models").await.refused(429, "rate-limited");
    app.clock.advance(TimeDelta::seconds(1));
    agent.get("/models").await.ok();
    let (_, reset) = left(&agent.get("/models").await, "reads");
    app.clock
        .advance(TimeDelta::seconds(i64::try_from(reset).unwrap()));
    assert_eq!(
        left(&agent.get("/models").await, "reads").0,
        1,
        "it was whole again"
    );
}

async fn an_accounts_tokens_share_its_rate(db: TestDatabase) {
    let app = limited(&db, |it| {
        it.reads = Rate::of(60, 2);
        it.account = Rate::of(60, 3);
    })
    .await;
    let (first, second, other) = (
        app.db_full_agent().await,
        app.db_full_agent().await,
        app.db_other_agent().await,
    );
    first.get("/models").await.ok();
    first.get("/models").await.ok();
    first.get("/models").await.refused(429, "rate-limited");
    second.get("/models").await.ok();
    let answer = second.get("/models").await;
    assert_eq!(
        answer.refused(429, "rate-limited")["violated-policies"],
        json!(["account"])
    );
    other.get("/models").await.ok();
}

async fn writes_and_analyses_have_rates_of_their_own(db: TestDatabase) {
    let app = limited(&db, |it| {
        it.reads = Rate::of(60, 1);
        it.writes = Rate::of(60, 4);
        it.analyses = Rate::of(60, 2);
    })
    .await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &["one"]).await;
    let start = async || {
        let body = json!({ "type": "rankCheck", "projectId": project, "dryRun": true });
        agent.post("/analyze", body).await
    };
    let answer = start().await;
    answer.ok();
    assert_eq!(
        (left(&answer, "analyses").0, left(&answer, "writes").0),
        (1, 2)
    );
    start().await.ok();
    let answer = start().await;
    assert_eq!(
        answer.refused(429, "rate-limited")["violated-policies"],
        json!(["analyses"])
    );
    let change = async || {
        agent
            .patch(&format!("/projects/{project}"), json!({}))
            .await
    };
    change().await.ok();
    change().await.refused(429, "rate-limited");
    agent.get("/models").await.ok();
    agent.get("/models").await.refused(429, "rate-limited");
}

async fn rate_limits_are_checked_after_token_and_scope(db: TestDatabase) {
    let app = limited(&db, |it| it.reads = Rate::of(60, 1)).await;
    let agent = app.db_agent([Scope::ProjectsRead]).await;
    for _ in 0..3 {
        agent
            .get("/models")
            .await
            .refused(403, "insufficient-scope");
    }
    agent.get("/projects").await.ok();
    let unacceptable = agent
        .request(Method::GET, "/projects")
        .header("accept", "text/html");
    agent.send(unacceptable).await.refused(429, "rate-limited");
    agent.get("/projects/7/8").await.refused(404, "not-found");
    agent.options("/projects").await;
}

async fn failed_tokens_are_limited_without_blocking_others(db: TestDatabase) {
    let app = limited(&db, |it| {
        it.anonymous = Rate::of(60, 2);
        it.failed_tokens = Rate::of(60, 3);
    })
    .await;
    let (agent, anonymous) = (app.db_full_agent().await, app.anonymous());
    let guess = app.bearer("sightline_agt_guess");
    for _ in 0..3 {
        guess.get("/projects").await.refused(401, "token-invalid");
    }
    let slowed = guess.get("/projects").await;
    assert_eq!(
        slowed.refused(429, "rate-limited")["violated-policies"],
        json!(["failed-tokens"])
    );
    assert_eq!(slowed.header("retry-after"), "1");
    // /docs counts as a request without a token.
    anonymous.get("/docs").await.ok();
    anonymous
        .get("/projects")
        .await
        .refused(401, "token-missing");
    anonymous
        .get("/projects")
        .await
        .refused(429, "rate-limited");
    anonymous.get("/docs").await.refused(429, "rate-limited");
    agent.get("/projects").await.ok();
    app.clock.advance(TimeDelta::seconds(1));
    guess.get("/projects").await.refused(401, "token-invalid");
    anonymous.get("/docs").await.ok();
}

async fn only_trusted_proxies_set_the_client_address(db: TestDatabase) {
    let get_from = async |app: &TestApp, from: &str| {
        let anonymous = app.anonymous();
        let request = anonymous
            .request(Method::GET, "/projects")
            .header("x-forwarded-for", from);
        anonymous.send(request).await
    };
    let one = |it: &mut RequestLimits| it.anonymous = Rate::of(60, 1);
    let direct = limited(&db, one).await;
    get_from(&direct, "198.51.100.1")
        .await
        .refused(401, "token-missing");
    get_from(&direct, "198.51.100.2")
        .await
        .refused(429, "rate-limited");
    let behind = limited(&db, |it| {
        one(it);
        it.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    get_from(&behind, "198.51.100.1")
        .await
        .refused(401, "token-missing");
    get_from(&behind, "198.51.100.2")
        .await
        .refused(401, "token-missing");
    get_from(&behind, "203.0.113.9, 198.51.100.1")
        .await
        .refused(429, "rate-limited");
    for same in ["198.51.100.2:4711", "\"198.51.100.2:80\""] {
        let answer = get_from(&behind, same).await;
        answer.refused(429, "rate-limited");
        assert_eq!(answer.header("connection"), "close", "{same}");
    }
    for (first, again) in [
        ("[2001:db8::1]:443", "2001:db8::2"),
        ("[2001:db8:9::1]", "\"[2001:db8:9::1]:443\""),
    ] {
        get_from(&behind, first).await.refused(401, "token-missing");
        get_from(&behind, again).await.refused(429, "rate-limited");
    }
}

async fn concurrent_requests_are_limited(db: TestDatabase) {
    let app = limited(&db, |it| {
        it.in_flight_per_token = 2;
        it.in_flight_per_account = 3;
    })
    .await;
    let (first, second) = (app.db_full_agent().await, app.db_full_agent().await);
    let (project, _) = first.project("a.example.com", &["one"]).await;
    let job = first.rank_check(project).await;
    // Held for the full wait, since no worker runs the analysis.
    let waiting = |agent: &Caller| {
        let agent = agent.clone();
        tokio::spawn(async move { agent.get(&format!("/analyze?jobId={job}&wait=3")).await })
    };
    let mut pending = vec![waiting(&first), waiting(&first), waiting(&second)];
    tokio::time::sleep(Duration::from_millis(700)).await;
    let answer = first.get("/models").await;
    assert_eq!(answer.refused(429, "concurrency-limited")["limit"], 2);
    assert_eq!(answer.header("retry-after"), "1");
    let answer = second.get("/models").await;
    assert_eq!(answer.refused(429, "concurrency-limited")["limit"], 3);
    for answer in pending.drain(..) {
        answer.await.unwrap().ok();
    }
    first.get("/models").await.ok();
    second.get("/models").await.ok();
}

async fn a_full_server_returns_503_but_livez_succeeds(db: TestDatabase) {
    let app = limited(&db, |it| it.in_flight = 1).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &["one"]).await;
    let job = agent.rank_check(project).await;
    let waiting = {
        let agent = agent.clone();
        tokio::spawn(async move { agent.get(&format!("/analyze?jobId={job}&wait=2")).await })
    };
    tokio::time::sleep(Duration::from_millis(700)).await;
    let answer = agent.get("/models").await;
    answer.refused(503, "overloaded");
    assert_eq!(answer.header("retry-after"), "1");
    // Callers without a token use other slots.
    app.anonymous().get("/docs").await.ok();
    let alive = agent.send(agent.request_path(Method::GET, "/livez")).await;
    alive.ok();
    waiting.await.unwrap().ok();
    agent.get("/models").await.ok();
}

async fn a_wait_ends_on_client_disconnect(db: TestDatabase) {
    let app = limited(&db, |it| it.in_flight_per_token = 1).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &["one"]).await;
    let job = agent.rank_check(project).await;
    let mut stream = TcpStream::connect(app.address).await.unwrap();
    let head = format!(
        "GET /api/agent/v1/analyze?jobId={job}&wait=20 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        agent.token().unwrap()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let busy = agent.get("/models").await;
    busy.refused(429, "concurrency-limited");
    drop(stream);
    // The connection is polled once a second; the wait would hold the slot for 20.
    for _ in 0..80 {
        if agent.get("/models").await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the slot is held by a request that nobody waits for");
}
