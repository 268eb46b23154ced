//! Failures of machines: a process frozen past its lease, cut connections, a database restart, a full disk. Nothing
//! acknowledged is lost, and nothing is done twice.

use super::{
    api::{Api, done_units, is_finished, number},
    crashes::{Working, start, start_watched},
    on_both,
    world::World,
};
use chrono::TimeDelta;
use harness::{databases::TestDatabase, postgres_server::PostgresServer};
use serde_json::json;
use std::time::{Duration, Instant};
use storage::DatabaseKind;

const KEYWORDS: usize = 400;
/// Shorter than the minimum delays of all attempts of a job.
const CUTTING: Duration = Duration::from_secs(7);

on_both!(
    worker_frozen_past_its_lease_stores_nothing_twice,
    hanging_attempt_ends_at_its_deadline,
    worker_started_with_a_wrong_clock_claims_nothing,
    server_and_doctor_report_a_wrong_clock,
    a_wrong_clock_deletes_nothing,
);

/// A rank check well under way.
async fn under_way(world: &mut World) -> (Working, i64, i64) {
    world.set("SEARCH__SANDBOX__LATENCY_MS", "100");
    let working = start(world);
    let project = working.api.project("example.com", KEYWORDS).await;
    let job = working.api.analyze("rankCheck", project).await;
    working.api.follow(job, |job| done_units(job) >= 60).await;
    (working, project, job)
}

async fn worker_frozen_past_its_lease_stores_nothing_twice(mut world: World) {
    let (working, project, job) = under_way(&mut world).await;
    working.worker.freeze();
    if world.is_sqlite() {
        // Server and worker are one process: when it resumes, its own lease has expired.
        tokio::time::sleep(Duration::from_secs(8)).await;
        working.worker.thaw();
        let over = working.api.finished(job).await;
        assert_eq!(over["status"], "succeeded", "{over}");
        world.assert_measured_once(project, job, KEYWORDS).await;
        return;
    }
    let other = world.worker();
    let seen = working.api.follow(job, |job| number(job, "/attempts") == 2);
    seen.await;
    // Both treat their lease as valid; that of one has expired.
    working.worker.thaw();
    let over = working.api.finished(job).await;
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&"succeeded".into(), 2),
        "{over}"
    );
    assert_eq!(over["error"], serde_json::Value::Null, "{over}");
    tokio::time::sleep(Duration::from_secs(3)).await;
    world.assert_measured_once(project, job, KEYWORDS).await;
    let records = working.api.records("rankings", project).await;
    assert_eq!(records.len(), KEYWORDS);
    drop(other);
}

/// The worker is alive and sends heartbeats; only the call hangs.
async fn hanging_attempt_ends_at_its_deadline(mut world: World) {
    world.set("SEARCH__SANDBOX__LATENCY_MS", "60000");
    let (working, watcher) = start_watched(&mut world);
    let project = working.api.project("example.com", 2).await;
    let job = working.api.analyze("rankCheck", project).await;
    let runs = |job: &serde_json::Value| job["status"] == "running";
    working.api.follow(job, runs).await;
    let past = if world.is_sqlite() {
        "1"
    } else {
        "'2026-01-01T00:00:00Z'"
    };
    world.database.run_sql(&format!(
        "UPDATE jobs SET deadline_at = {past} WHERE id = {job}; UPDATE account_queues SET attention_at = {past};"
    ));
    let passed = Instant::now();
    let has_error = |job: &serde_json::Value| !job["error"].is_null();
    let seen = working.api.follow(job, has_error).await;
    assert!(passed.elapsed() < Duration::from_secs(30), "{seen}");
    assert!(
        seen["error"].to_string().contains("deadline-passed"),
        "{seen}"
    );
    let passed = &["reason=\"deadline-passed\""][..];
    watcher.await_sum("job_rescues_total", passed, 1.0).await;
    let again = |job: &serde_json::Value| number(job, "/attempts") == 2;
    working.api.follow(job, again).await;
    // Not counted as a crash of the worker, which could fail the job permanently.
    let died = format!("SELECT count(*) FROM jobs WHERE id = {job} AND crash_count > 0");
    assert_eq!(world.database.counts(&died)[0].1, 0);
}

async fn server_and_doctor_report_a_wrong_clock(mut world: World) {
    world.set_clock_ahead(true);
    let (mut server, _, watcher) = world.serve_with_admin(&["--no-worker"]);
    server.await_line("is apart from the database's");
    let hour = 3_600.0;
    let offset = watcher.metrics().await.sum("clock_offset_seconds", &[]);
    assert!((offset - hour).abs() < 60.0, "{offset}");
    let doctor = world.command(&["doctor", "--json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let clock = checks.iter().find(|it| it["check"] == "clock").unwrap();
    assert_eq!(clock["state"], "bad", "{clock}");
}

/// A clock check that many days ago, by a trusted clock.
async fn looked_days_ago(world: &World, days: i64) {
    let now = world.database.port().now().await.unwrap();
    let at = now - TimeDelta::days(days);
    let at = if world.is_sqlite() {
        at.timestamp_micros().to_string()
    } else {
        format!("'{}'", at.to_rfc3339())
    };
    world.database.run_sql(&format!(
        "UPDATE server_notes SET note = '2020-01-01T00:00:00Z', noted_at = {at} WHERE topic = 'retention'"
    ));
}

async fn a_wrong_clock_deletes_nothing(world: World) {
    let count = |source: &str| {
        world
            .database
            .counts(&format!("SELECT count(*) FROM {source}"))[0]
            .1
    };
    let working = start(&world);
    let project = working.api.project("example.com", 2).await;
    let job = working.api.analyze("rankCheck", project).await;
    assert_eq!(working.api.finished(job).await["status"], "succeeded");
    drop(working);
    // The first start only records its clock check.
    assert_eq!(count("server_notes WHERE topic = 'retention'"), 1);
    world
        .database
        .run_sql("UPDATE rank_history SET day = '2019-06-01'");
    assert_eq!(count("rank_history"), 2);

    looked_days_ago(&world, 4).await;
    let mut working = start(&world);
    let warning = working
        .worker
        .await_line("The clock differs from the expected time");
    assert!(warning.contains("hours=96"), "{warning}");
    drop(working);
    // The next start, right after a check, deletes nothing either.
    let working = start(&world);
    tokio::time::sleep(Duration::from_secs(3)).await;
    drop(working);
    assert_eq!(count("rank_history"), 2);

    looked_days_ago(&world, 1).await;
    let _working = start(&world);
    let mut left = 2;
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        left = count("rank_history");
        if left == 0 {
            break;
        }
    }
    assert_eq!(left, 0);
}

async fn worker_started_with_a_wrong_clock_claims_nothing(mut world: World) {
    let (server, api) = world.serve(&["--no-worker"]);
    let project = api.project("example.com", 2).await;
    let job = api.analyze("rankCheck", project).await;
    drop(server);
    let never_claimed =
        format!("SELECT count(*) FROM jobs WHERE id = {job} AND epoch = 0 AND state = 'ready'");
    assert_eq!(world.database.counts(&never_claimed)[0].1, 1);

    world.set_clock_ahead(true);
    // Each start is a race between the first claim and the first clock check.
    for _ in 0..3 {
        let mut worker = if world.is_sqlite() {
            world.serve(&[]).0
        } else {
            world.worker()
        };
        let warning = worker.await_line("is apart from the database's");
        assert!(warning.contains("no job is claimed"), "{warning}");
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(world.database.counts(&never_claimed)[0].1, 1);
        assert!(worker.terminate().0.success());
    }

    world.set_clock_ahead(false);
    let working = start(&world);
    let over = working.api.finished(job).await;
    assert_eq!(over["status"], "succeeded", "{over}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: a worker waits until it tries again"]
async fn jobs_survive_cut_connections() {
    let mut world = World::on(DatabaseKind::Postgres).await;
    world.use_long_leases();
    let (working, project, job) = under_way(&mut world).await;
    let database = world.database.name().unwrap().to_owned();
    let cut = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}' AND pid <> pg_backend_pid()"
    );
    let cuts = cutting(world.database.superuser_url().unwrap(), cut);
    let ended = working.api.finished_despite_outages(job).await;
    let cuts = cuts.await.unwrap();
    assert!(cuts > 5, "{cuts} times");
    assert_eq!(ended["status"], "succeeded", "{ended}");
    world.assert_measured_once(project, job, KEYWORDS).await;
}

/// Cuts every connection five times a second for [`CUTTING`]; returns how often.
fn cutting(url: String, statement: String) -> tokio::task::JoinHandle<u32> {
    tokio::task::spawn_blocking(move || {
        let (began, mut cuts) = (Instant::now(), 0);
        while began.elapsed() < CUTTING {
            TestDatabase::run_sql_at(&url, &statement);
            cuts += 1;
            std::thread::sleep(Duration::from_millis(200));
        }
        cuts
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_survive_a_database_restart() {
    let mut world = World::in_database(TestDatabase::on_own_server().await);
    world.use_long_leases();
    let (working, project, job) = under_way(&mut world).await;
    let folder = world.database.server_folder();
    for _ in 0..3 {
        let folder = folder.clone();
        let again = move || {
            PostgresServer::stop_in(&folder);
            PostgresServer::start_in(&folder);
        };
        tokio::task::spawn_blocking(again).await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let ended = working.api.finished_despite_outages(job).await;
    assert_eq!(ended["status"], "succeeded", "{ended}");
    world.assert_measured_once(project, job, KEYWORDS).await;
}

/// The processes live on; only their leases expire.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outage_longer_than_a_lease_is_no_worker_crash() {
    let mut world = World::in_database(TestDatabase::on_own_server().await);
    let (working, _, job) = under_way(&mut world).await;
    let mut jobs = vec![job];
    for number in 1..4 {
        let host = format!("p{number}.example.com");
        let project = working.api.project(&host, 100).await;
        jobs.push(working.api.analyze("rankCheck", project).await);
    }
    let runs = |job: &serde_json::Value| job["status"] == "running" || is_finished(job);
    for job in &jobs {
        working.api.follow(*job, runs).await;
    }
    let folder = world.database.server_folder();
    let away = move || {
        PostgresServer::stop_in(&folder);
        std::thread::sleep(Duration::from_secs(5));
        PostgresServer::start_in(&folder);
    };
    tokio::task::spawn_blocking(away).await.unwrap();
    for job in jobs {
        let ended = working.api.finished_despite_outages(job).await;
        assert_eq!(
            (&ended["status"], number(&ended, "/attempts")),
            (&"succeeded".into(), 1),
            "{ended}"
        );
    }
    let died = "SELECT count(*) FROM jobs WHERE crash_count > 0";
    assert_eq!(world.database.counts(died)[0].1, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_reports_that_no_worker_sweeps() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    let (_server, api, watcher) = world.serve_with_admin(&["--no-worker"]);
    let project = api.project("example.com", 2).await;
    api.analyze("rankCheck", project).await;
    let queue = || {
        let doctor = world.command(&["doctor", "--json"]).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        let queue = checks.iter().find(|it| it["check"] == "queue").unwrap();
        queue["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(queue(), "good");
    let overdue = async || {
        watcher
            .metrics()
            .await
            .sum("job_sweep_overdue_seconds", &[])
    };
    assert!(overdue().await.abs() < f64::EPSILON);
    world
        .database
        .run_sql("UPDATE account_queues SET attention_at = 1");
    assert_eq!(queue(), "bad");
    let begun = Instant::now();
    while overdue().await < 60.0 {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "nothing is overdue"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_refuses_writes_and_loses_nothing() {
    let world = World::on(DatabaseKind::Sqlite).await;
    let (server, api) = world.serve_with_files_up_to(3 * 1_024, &["--no-worker"]);
    let mut acknowledged = Vec::new();
    let mut refused = Vec::new();
    for number in 0..60 {
        let (status, answer) = create(&api, number).await;
        match status {
            201 => acknowledged.push(answer["id"].as_i64().unwrap()),
            503 => refused.push(answer),
            other => panic!("{other}: {answer}"),
        }
        if refused.len() == 3 {
            break;
        }
    }
    assert!(
        refused.len() == 3 && acknowledged.len() > 2,
        "the disk was never full"
    );
    assert_eq!(refused[0]["code"], "database-unavailable", "{refused:?}");
    // The server is alive and still serves reads.
    assert_eq!(api.probe("/livez").await, Some(200));
    api.get("/projects?limit=1").await;

    server.lift_file_limit();
    let (status, answer) = create(&api, 100).await;
    assert_eq!(status, 201, "{answer}");
    server.kill();
    let (_server, api) = world.serve(&["--no-worker"]);
    for project in &acknowledged {
        let found = api.get(&format!("/projects/{project}")).await;
        assert_eq!(found["keywordCount"], 300, "{found}");
    }
    let listed = api.get("/projects?include=total&limit=1").await;
    assert_eq!(
        listed["total"],
        acknowledged.len() + 1,
        "nothing half done is there"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: a worker waits until it tries again"]
async fn running_jobs_end_after_the_disk_has_space_again() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    world.set("SEARCH__SANDBOX__LATENCY_MS", "100");
    let (mut server, api) = world.serve_with_files_up_to(1_024 * 1_024, &[]);
    let mut jobs = Vec::new();
    for number in 0..4 {
        let host = format!("p{number}.example.com");
        jobs.push((api.project(&host, KEYWORDS).await, 0));
    }
    for (project, job) in &mut jobs {
        *job = api.analyze("rankCheck", *project).await;
    }
    for (_, job) in &jobs {
        api.follow(*job, |job| done_units(job) >= 20).await;
    }
    server.fill_disk();
    let full = Instant::now();
    let before: Vec<i64> = kept(&world, &jobs).await;
    while full.elapsed() < Duration::from_secs(5) {
        let (status, refusal) = create(&api, 9).await;
        assert_eq!(
            (status, &refusal["code"]),
            (503, &json!("database-unavailable"))
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    // Workers kept measuring, but nothing was reported as done.
    assert_eq!(kept(&world, &jobs).await, before);
    for (_, job) in &jobs {
        assert!(!is_finished(&api.job(*job).await));
    }
    let reports_success = |line: &String| line.contains("succeeded");
    assert!(!server.output().iter().any(reports_success));

    server.lift_file_limit();
    for (_, job) in &jobs {
        let over = api.finished_despite_outages(*job).await;
        assert_eq!(over["status"], "succeeded", "{over}");
        // It is reported now.
        server.await_line("succeeded");
    }
    server.kill();
    let (_server, api) = world.serve(&[]);
    for (project, job) in &jobs {
        assert_eq!(api.job(*job).await["status"], "succeeded");
        world.assert_measured_once(*project, *job, KEYWORDS).await;
        let records = api.records("rankings", *project).await;
        assert_eq!(records.len(), KEYWORDS);
    }
}

/// Stored keyword measurements per job.
async fn kept(world: &World, jobs: &[(i64, i64)]) -> Vec<i64> {
    let mut kept = Vec::new();
    for (project, job) in jobs {
        let counts = world.counts(*project, *job).await;
        kept.push(i64::try_from(counts.len()).unwrap());
    }
    kept
}

/// A project with three hundred long keywords.
async fn create(api: &Api, number: usize) -> (u16, serde_json::Value) {
    let keywords: Vec<String> = (0..300)
        .map(|n| format!("{} {n}", "k".repeat(60)))
        .collect();
    let body = json!({ "domain": format!("p{number}.example.com"), "keywords": keywords });
    api.call("POST", "/projects", Some(&body)).await
}
