//! Workers that are killed or stopped in the middle of a rank check.

use super::{
    admin_client::AdminClient,
    api::{Api, done_units, number},
    on_both,
    process::Process,
    world::World,
};
use std::time::Duration;

const KEYWORDS: usize = 1_000;

on_both!(
    killed_worker_costs_an_attempt_and_repeats_no_keyword,
    #[ignore = "slow: waits for the time in which a worker may end its work"]
    stopped_worker_requeues_its_job_within_30_seconds,
    rank_check_is_canceled_despite_a_hanging_supplier,
);

/// The worker process: on SQLite the server itself, on PostgreSQL a separate one.
pub struct Working {
    pub worker: Process,
    pub beside: Option<Process>,
    pub api: Api,
}

pub fn start(world: &World) -> Working {
    if world.is_sqlite() {
        let (worker, api) = world.serve(&[]);
        return Working {
            worker,
            beside: None,
            api,
        };
    }
    let (server, api) = world.serve(&["--no-worker"]);
    Working {
        worker: world.worker(),
        beside: Some(server),
        api,
    }
}

/// The same with a watcher of the worker process.
pub fn start_watched(world: &mut World) -> (Working, AdminClient) {
    world.set("ADMIN__LISTEN", "127.0.0.1:0");
    let mut working = start(world);
    let watcher = AdminClient::from_line(&working.worker.await_line("/readyz"));
    (working, watcher)
}

async fn halfway(world: &mut World) -> (Working, i64, i64) {
    world.set("SEARCH__SANDBOX__LATENCY_MS", "50");
    let working = start(world);
    let project = working.api.project("example.com", KEYWORDS).await;
    let job = working.api.analyze("rankCheck", project).await;
    let seen = working.api.follow(job, |job| done_units(job) >= 200).await;
    assert_eq!(seen["stages"][0]["name"], "measure", "{seen}");
    assert_eq!(seen["stages"][0]["status"], "running", "{seen}");
    (working, project, job)
}

async fn assert_amid(world: &World, project: i64, job: i64) {
    let measured = world.counts(project, job).await.len();
    assert!(
        (200..KEYWORDS).contains(&measured),
        "{measured} were measured"
    );
}

async fn assert_published_once(world: &World, api: &Api, project: i64, job: i64) {
    world.assert_measured_once(project, job, KEYWORDS).await;
    for result_type in ["rankings", "serp"] {
        let results = api
            .get(&format!(
                "/results?type={result_type}&projectId={project}&limit=1"
            ))
            .await;
        assert_eq!(number(&results, "/jobId"), job);
    }
    let records = api.records("rankings", project).await;
    let mut keywords: Vec<i64> = records.iter().map(|it| number(it, "/keywordId")).collect();
    keywords.sort_unstable();
    keywords.dedup();
    assert_eq!((records.len(), keywords.len()), (KEYWORDS, KEYWORDS));
}

async fn killed_worker_costs_an_attempt_and_repeats_no_keyword(mut world: World) {
    let (working, project, job) = halfway(&mut world).await;
    working.worker.kill();
    drop(working.beside);
    assert_amid(&world, project, job).await;

    let (again, watcher) = start_watched(&mut world);
    let over = again.api.finished(job).await;
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&"succeeded".into(), 2),
        "{over}"
    );
    let lost = &["reason=\"worker-lost\""][..];
    watcher.await_sum("job_rescues_total", lost, 1.0).await;
    assert_eq!(done_units(&over), 1_000, "{over}");
    assert_published_once(&world, &again.api, project, job).await;
}

async fn stopped_worker_requeues_its_job_within_30_seconds(mut world: World) {
    let (working, project, job) = halfway(&mut world).await;
    let (status, took) = working.worker.terminate();
    assert!(
        status.success() && took < Duration::from_secs(30),
        "{status} in {took:?}"
    );
    assert_amid(&world, project, job).await;
    drop(working.beside);

    let again = start(&world);
    let over = again.api.finished(job).await;
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&"succeeded".into(), 1),
        "{over}"
    );
    assert!(over["error"].is_null(), "{over}");
    assert_published_once(&world, &again.api, project, job).await;
}

async fn rank_check_is_canceled_despite_a_hanging_supplier(mut world: World) {
    world.set("SEARCH__SANDBOX__LATENCY_MS", "60000");
    let working = start(&world);
    let project = working.api.project("example.com", 2).await;
    let job = working.api.analyze("rankCheck", project).await;
    working
        .api
        .follow(job, |job| job["status"] == "running")
        .await;
    let begun = std::time::Instant::now();
    working.api.delete(&format!("/projects/{project}")).await;
    let over = working.api.finished(job).await;
    // The pending answer is free, so nothing waits for it.
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(
        (&over["status"], done_units(&over)),
        (&"canceled".into(), 0),
        "{over}"
    );
}
