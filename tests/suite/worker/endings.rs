//! A job whose project is deactivated while it runs.

use super::{api::done, on_both, world::World};
use std::time::{Duration, Instant};

on_both!(a_job_ends_soon_after_its_project_is_deactivated_and_publishes_nothing);

async fn a_job_ends_soon_after_its_project_is_deactivated_and_publishes_nothing(mut world: World) {
    world.set("SEARCH__SANDBOX__LATENCY_MS", "100");
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 1_000).await;
    let job = api.analyse("rankCheck", project).await;
    api.follow(job, |job| done(job) >= 50).await;

    let asked = Instant::now();
    api.delete(&format!("/projects/{project}")).await;
    let over = api.finished(job).await;
    assert_eq!(over["status"], "canceled", "{over}");
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    world.assert_nothing_staged(job).await;
    assert!(api.records("rankings", project).await.is_empty());
}
