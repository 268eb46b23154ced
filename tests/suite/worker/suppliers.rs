//! Suppliers that fail: always, or for some keywords.

use super::{api::number, on_both, world::World};

on_both!(
    failing_supplier_fails_the_job_and_keeps_results,
    partial_supplier_failure_loses_no_rank,
);

async fn failing_supplier_fails_the_job_and_keeps_results(mut world: World) {
    let (server, api) = world.serve(&[]);
    let project = api.project("example.com", 40).await;
    let good = api.analyze("rankCheck", project).await;
    assert_eq!(api.finished(good).await["status"], "succeeded");
    let earlier = api.records("rankings", project).await;
    assert!(server.terminate().0.success());

    world.set("SEARCH__SANDBOX__FAILURE_RATE", "1");
    let (_server, api) = world.serve(&[]);
    let bad = api.analyze("rankCheck", project).await;
    let over = api.finished(bad).await;
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&"failed".into(), 5),
        "{over}"
    );
    for member in ["code", "detail", "hint"] {
        assert!(
            over["error"][member]
                .as_str()
                .is_some_and(|it| !it.is_empty()),
            "{over}"
        );
    }
    assert_eq!(api.records("rankings", project).await, earlier);
    world.assert_nothing_staged(bad).await;
}

async fn partial_supplier_failure_loses_no_rank(mut world: World) {
    world.set("SEARCH__SANDBOX__FAILURE_RATE", "0.3");
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 100).await;
    let job = api.analyze("rankCheck", project).await;
    let over = api.finished(job).await;
    // The sandbox fails for a keyword all day, so that retries cannot help.
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&"partial".into(), 5),
        "{over}"
    );
    world.assert_measured_once(project, job, 100).await;

    let records = api.records("rankings", project).await;
    let failed = records.iter().filter(|it| it["status"] == "error");
    let failed: Vec<_> = failed.collect();
    assert_eq!(records.len(), 100);
    assert!((10..60).contains(&failed.len()), "{} failed", failed.len());
    assert!(
        failed
            .iter()
            .all(|it| it["position"].is_null() && it["error"].is_string())
    );
}
