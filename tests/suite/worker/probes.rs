//! Probes of real processes that lose and regain their database.

use super::{
    admin_client::AdminClient,
    on_both,
    process::{Process, command},
    world::World,
};
use diesel::{Connection, SqliteConnection, connection::SimpleConnection};
use harness::postgres_server::PostgresServer;
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    fs,
    net::TcpListener,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use storage::DatabaseKind;

on_both!(
    admin_and_public_paths_are_separate,
    server_and_worker_are_ready_until_stopped,
    closed_terminal_shuts_the_server_down,
);

async fn admin_and_public_paths_are_separate(mut world: World) {
    let (_server, api, watcher) = world.serve_with_admin(&["--no-worker"]);
    for path in ["/livez", "/readyz", "/startupz"] {
        let (status, body) = watcher.get(path).await;
        assert_eq!((status, &body), (200, &json!({ "status": "ok" })), "{path}");
    }
    let (status, body) = watcher.get("/debug/config").await;
    assert_eq!(status, 200);
    assert_eq!(body["settings"]["queue.lease_seconds"]["value"], "3");
    let from = body["settings"]["queue.lease_seconds"]["from"].to_string();
    assert!(from.contains("SIGHTLINE_QUEUE__LEASE_SECONDS"), "{from}");

    for path in ["/livez", "/metrics"] {
        let head = watcher.request(Method::HEAD, path).await;
        assert_eq!(head.headers()["cache-control"], "no-store");
        assert_eq!(
            (head.status().as_u16(), head.text().await.unwrap()),
            (200, String::new())
        );
        for method in [Method::POST, Method::DELETE, Method::OPTIONS] {
            let refused = watcher.request(method, path).await;
            assert_eq!(refused.status(), 405);
            assert_eq!(refused.headers()["allow"], "GET, HEAD");
            assert_eq!(
                refused.headers()["content-type"],
                "application/problem+json"
            );
            let problem: Value = refused.json().await.unwrap();
            assert_eq!(problem["code"], "method-not-allowed");
        }
    }
    // Neither serves the other's paths.
    for path in [
        "/api/agent/v1/docs",
        "/api/agent/v1/projects",
        "/",
        "/sign-in",
        "/mcp",
    ] {
        let (status, problem) = watcher.get(path).await;
        assert_eq!(
            (status, &problem["code"]),
            (404, &"not-found".into()),
            "{path}"
        );
    }
    for path in ["/metrics", "/startupz", "/debug/config"] {
        assert_eq!(api.probe(path).await, Some(404), "{path}");
    }
}

async fn server_and_worker_are_ready_until_stopped(mut world: World) {
    world.set("SHUTDOWN_DELAY_SECONDS", "3");
    let (mut server, _, at_server) = world.serve_with_admin(&["--no-worker"]);
    assert_eq!(at_server.get("/readyz").await.0, 200);
    if !world.is_sqlite() {
        let (mut worker, at_worker) = world.worker_with_admin();
        assert_eq!(at_worker.get("/readyz").await.0, 200);
        assert_eq!(at_worker.get("/startupz").await.0, 200);
        worker.send_sigterm();
        assert!(worker.wait().success());
    }
    server.send_sigterm();
    let readiness = at_server.wait_for_status("/readyz", 503).await;
    assert_eq!(readiness["reasons"][0]["reason"], "stopping");
    assert_eq!(at_server.get("/livez").await.0, 200);
    assert!(server.wait().success());
}

async fn closed_terminal_shuts_the_server_down(mut world: World) {
    let (mut server, _, _) = world.serve_with_admin(&[]);
    server.hang_up();
    server.await_line("Stopping");
    assert!(server.wait().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_are_not_shown_to_foreign_hosts() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    let (_server, _, watcher) = world.serve_with_admin(&["--no-worker"]);
    for (host, more, expected) in [
        (watcher.address.as_str(), "", 200),
        ("localhost:9090", "", 200),
        ("sightline", "", 200),
        ("evil.example.com:9090", "", 403),
        // Pages may set any header but `Host`.
        ("evil.example.com:9090", "127.0.0.1:9090", 403),
    ] {
        let request = harness::callers::client()
            .get(format!("http://{}/debug/config", watcher.address))
            .header("Host", host);
        let request = match more {
            "" => request,
            forwarded_host => request.header("X-Forwarded-Host", forwarded_host),
        };
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), expected, "{host} {more}");
    }
}

/// A server process on a database that tests may stop.
fn serve_on(url: &str, more: &[(&str, &str)]) -> (Process, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = vec![("SIGHTLINE_DATABASE_URL".to_owned(), url.to_owned())];
    settings.extend(
        more.iter()
            .map(|(name, value)| (format!("SIGHTLINE_{name}"), (*value).to_owned())),
    );
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--no-worker"];
    let server = Process::start(command(folder.path(), &settings, &arguments));
    (server, folder)
}

/// A ready server process on its own database server.
async fn ready_on_its_own() -> (PostgresServer, Process, tempfile::TempDir, AdminClient) {
    let start = || {
        let server = PostgresServer::start();
        server.execute("CREATE DATABASE probed OWNER sightline");
        server
    };
    let postgres = tokio::task::spawn_blocking(start).await.unwrap();
    // Bypasses a pooler, which would hide that its server is down.
    let url = postgres.direct_url("probed");
    let (mut server, folder) = serve_on(&url, &[("ADMIN__LISTEN", "127.0.0.1:0")]);
    let watcher = AdminClient::from_line(&server.await_line("/readyz"));
    watcher.wait_for_status("/readyz", 200).await;
    (postgres, server, folder, watcher)
}

/// Time from `moment` until the path answers with that status.
async fn since(moment: Instant, watcher: &AdminClient, path: &str, status: u16) -> Duration {
    watcher.wait_for_status(path, status).await;
    moment.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: a database is stopped and started again, twice"]
async fn lost_database_shows_within_2_s_and_its_return_in_5() {
    let (postgres, _server, _folder, watcher) = ready_on_its_own().await;
    for round in 0..2 {
        let away = tokio::task::spawn_blocking({
            let folder = postgres.folder();
            move || {
                PostgresServer::stop_in(&folder);
                Instant::now()
            }
        });
        // Readiness is polled all the time, as orchestrators do.
        let readiness = watcher.wait_for_status("/readyz", 503).await;
        let noticed = Instant::now();
        let lost = noticed.saturating_duration_since(away.await.unwrap());
        assert!(lost < Duration::from_secs(2), "round {round}: {lost:?}");
        assert_eq!(readiness["reasons"][0]["reason"], "database", "{readiness}");
        // A lost database must not cause restarts, and probes answer quickly.
        let begun = tokio::time::Instant::now();
        assert_eq!(watcher.get("/livez").await.0, 200);
        assert!(begun.elapsed() < Duration::from_millis(500));
        tokio::time::sleep(Duration::from_secs(6)).await;
        let begun = tokio::time::Instant::now();
        let scraped = watcher.metrics().await;
        assert!(
            begun.elapsed() < Duration::from_millis(1_500),
            "{:?}",
            begun.elapsed()
        );
        assert!(scraped.sum("jobs_queued", &["waiting"]).is_nan());

        let folder = postgres.folder();
        let back = move || PostgresServer::start_in(&folder);
        tokio::task::spawn_blocking(back).await.unwrap();
        let returned = since(Instant::now(), &watcher, "/readyz", 200).await;
        assert!(
            returned < Duration::from_secs(5),
            "round {round}: {returned:?}"
        );
        println!("round {round}: reported lost after {lost:?}, back after {returned:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: waits until a database is given up"]
async fn hanging_database_is_reported_like_a_lost_one() {
    let (postgres, _server, _folder, watcher) = ready_on_its_own().await;
    for round in 0..2 {
        PostgresServer::pause_in(&postgres.folder());
        let hangs = Instant::now();
        let lost = since(hangs, &watcher, "/readyz", 503).await;
        // Detected by the next check at the latest.
        assert!(
            lost < Duration::from_millis(2_050),
            "round {round}: {lost:?}"
        );
        let (_, readiness) = watcher.get("/readyz").await;
        assert_eq!(readiness["reasons"][0]["reason"], "database", "{readiness}");
        // It hangs longer than any timeout; probes answer all the time.
        while hangs.elapsed() < Duration::from_secs(12) {
            let begun = Instant::now();
            assert_eq!(watcher.get("/livez").await.0, 200);
            assert!(begun.elapsed() < Duration::from_millis(500));
            assert_eq!(watcher.get("/readyz").await.0, 503);
            assert!(begun.elapsed() < Duration::from_millis(1_500));
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        PostgresServer::resume_in(&postgres.folder());
        let returned = since(Instant::now(), &watcher, "/readyz", 200).await;
        assert!(
            returned < Duration::from_secs(5),
            "round {round}: {returned:?}"
        );
        println!("round {round}: reported lost after {lost:?}, back after {returned:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_is_unready_without_its_original_file() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    let (_server, _, watcher) = world.serve_with_admin(&["--no-worker"]);
    let file = PathBuf::from(world.database.url.strip_prefix("sqlite://").unwrap());
    let away = file.with_extension("away");
    watcher.wait_for_status("/readyz", 200).await;
    fs::rename(&file, &away).unwrap();
    let readiness = watcher.wait_for_status("/readyz", 503).await;
    assert_eq!(readiness["reasons"][0]["reason"], "database", "{readiness}");
    // The same bytes in another file are another database.
    fs::copy(&away, &file).unwrap();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(watcher.get("/readyz").await.0, 503);
    assert_eq!(watcher.get("/livez").await.0, 200);
    fs::rename(&away, &file).unwrap();
    watcher.wait_for_status("/readyz", 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_waiting_over_5_s_make_the_server_unready() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    let (_server, api, watcher) = world.serve_with_admin(&["--no-worker"]);
    api.get("/models").await;
    let file = world.database.url.strip_prefix("sqlite://").unwrap();
    // Another program holds the file's lock, so the server cannot write.
    let mut holder = SqliteConnection::establish(file).unwrap();
    // The server's own last write may still be running.
    let patiently = "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE";
    holder.batch_execute(patiently).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let mut writes = tokio::task::JoinSet::new();
    for number in 0..6 {
        let api = api.clone();
        let over = Arc::clone(&over);
        writes.spawn(async move {
            let body = json!({ "domain": format!("shop-{number}.example.com") });
            // Each fails after some seconds and is sent again.
            while !over.load(Ordering::SeqCst) {
                api.call("POST", "/projects", Some(&body)).await;
            }
        });
    }
    assert_eq!(watcher.get("/readyz").await.0, 200);
    let readiness = watcher.wait_for_status("/readyz", 503).await;
    assert_eq!(
        readiness["reasons"][0]["reason"], "writerQueue",
        "{readiness}"
    );
    assert_eq!(watcher.get("/livez").await.0, 200);
    over.store(true, Ordering::SeqCst);
    holder.batch_execute("ROLLBACK").unwrap();
    watcher.wait_for_status("/readyz", 200).await;
    writes.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn configured_address_in_use_ends_the_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let settings = [("SIGHTLINE_ADMIN__LISTEN".to_owned(), address.clone())];
    let ran = command(
        folder.path(),
        &settings,
        &["serve", "--listen", "127.0.0.1:0"],
    );
    let ran = { ran }.output().unwrap();
    let stderr = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains(&address) && stderr.contains("admin.listen"),
        "{stderr}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn default_admin_address_in_use_is_tolerated() {
    // Taken by this test, or by another program of the machine.
    let _taken = TcpListener::bind("127.0.0.1:9090");
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--no-worker"];
    let mut server = Process::start(command(folder.path(), &[], &arguments));
    server.await_line("admin.listen");
    server.await_line("listens on");
    let (status, _) = server.terminate();
    assert!(status.success());
}
