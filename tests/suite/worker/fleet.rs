//! Two servers and two workers on one PostgreSQL.

use super::{
    api::{done_units, number},
    world::World,
};
use storage::DatabaseKind;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_and_two_workers_run_each_job_once() {
    let mut world = World::on(DatabaseKind::Postgres).await;
    world.set("WORKER__JOBS", "1");
    world.set("SEARCH__SANDBOX__LATENCY_MS", "30");
    let servers = [world.serve(&["--no-worker"]), world.serve(&["--no-worker"])];
    let mut workers = [world.worker(), world.worker()];

    let mut started = Vec::new();
    for n in 0..6 {
        let (_, api) = &servers[n % 2];
        let project = api.project(&format!("shop{n}.example.com"), 120).await;
        started.push((project, api.analyze("rankCheck", project).await));
    }
    for (n, (project, job)) in started.iter().enumerate() {
        // Followed through the other server.
        let (_, api) = &servers[(n + 1) % 2];
        let over = api.finished(*job).await;
        assert_eq!(
            (&over["status"], number(&over, "/attempts")),
            (&"succeeded".into(), 1)
        );
        assert_eq!(
            (done_units(&over), number(&over, "/progress/total")),
            (120, 120),
            "{over}"
        );
        assert_eq!(over["stages"][0]["status"], "done", "{over}");
        world.assert_measured_once(*project, *job, 120).await;
    }
    let begun = workers.each_mut().map(|worker| {
        let output = worker.output();
        output
            .iter()
            .filter(|it| it.contains("A job begins."))
            .count()
    });
    assert_eq!(begun.iter().sum::<usize>(), 6, "{begun:?}");
    assert!(begun.iter().all(|jobs| *jobs > 0), "{begun:?}");
}
