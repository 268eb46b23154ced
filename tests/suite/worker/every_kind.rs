//! Stopped and frozen workers, with an analysis of every kind running.

use super::{
    ai_visibility::tracked,
    api::{Api, done_units, number},
    crashes::{Working, start},
    google::Google,
    on_both,
    small_site::{HOST, SmallSite},
    web_vitals::{self, EVERYBODY, HOME},
    website::{PAGES, Website},
    world::World,
};
use std::time::Duration;

on_both!(
    #[ignore = "slow: a process stops amid each kind of analysis"]
    stopped_worker_requeues_every_kind_of_job,
    #[ignore = "slow: processes pause past a lease, for each kind of analysis"]
    frozen_worker_repeats_nothing_for_any_kind,
);

const KEYWORDS: usize = 160;
const TRACKED: usize = 3;
const ANSWERS: i64 = 240;
const TARGETS: [&str; 5] = ["/a", "/b", "/c", "/d", "/e"];
const SITE: &str = "one.example.com";
const AUDIT: &str = include_str!("../../chaos/audit.sql");

/// A running analysis, and the progress at which the worker is disturbed.
struct UnderWay {
    kind: &'static str,
    project: i64,
    job: i64,
    amid: i64,
}

/// Slow targets: each analysis takes about fifteen seconds, and starts within two.
struct Around {
    _site: Website,
    _small: SmallSite,
    _google: Google,
}

/// A worker with one analysis of each kind, all of them started and none near its end.
async fn under_way(world: &mut World) -> (Around, Working, Vec<UnderWay>) {
    let (site, small, google) = (
        Website::with_pause(Duration::from_millis(500)),
        SmallSite::start(EVERYBODY),
        Google::start(),
    );
    web_vitals::bare(world, &small);
    small.settle_in_beside(world, &[(SITE, site.address)]);
    web_vitals::with_key(world, "CRUX", &google);
    {
        let mut known = google.known();
        known.pause = Duration::from_millis(2_500);
        let pages = TARGETS.map(|it| format!("http://{HOST}{it}"));
        let all = pages.into_iter().chain([HOME.to_owned()]);
        known.lcp.extend(all.map(|it| (it, 2_000)));
    }
    world.set("SEARCH__SANDBOX__LATENCY_MS", "1500");
    // Four jobs are polled at the same time.
    for limit in ["READS", "ACCOUNT"] {
        world.set(&format!("LIMITS__{limit}_BURST"), "5000");
    }
    let working = start(world);
    let api = &working.api;
    let projects = [
        ("rankCheck", api.project("example.com", KEYWORDS).await, 16),
        ("siteAudit", api.project(SITE, 0).await, 5),
        ("webVitals", web_vitals::project(api, &TARGETS).await, 1),
        ("aiVisibility", tracked(api, TRACKED).await, 10),
    ];
    let mut jobs = vec![];
    for (kind, project, amid) in projects {
        let job = api.analyze(kind, project).await;
        jobs.push(UnderWay {
            kind,
            project,
            job,
            amid,
        });
    }
    for it in &jobs {
        api.follow(it.job, |job| done_units(job) >= it.amid).await;
    }
    for it in &jobs {
        let seen = api.job(it.job).await;
        assert_eq!(seen["status"], "running", "{} was too quick", it.kind);
    }
    let around = Around {
        _site: site,
        _small: small,
        _google: google,
    };
    (around, working, jobs)
}

/// All succeeded in that many attempts, and every result exists once.
async fn assert_whole(world: &World, api: &Api, jobs: &[UnderWay], attempts: Option<i64>) {
    for UnderWay {
        kind, project, job, ..
    } in jobs
    {
        let over = api.finished(*job).await;
        assert_eq!(over["status"], "succeeded", "{kind}: {over}");
        if let Some(attempts) = attempts {
            assert_eq!(number(&over, "/attempts"), attempts, "{kind}: {over}");
        }
        match *kind {
            "rankCheck" => world.assert_measured_once(*project, *job, KEYWORDS).await,
            "siteAudit" => {
                assert_eq!(api.records("content", *project).await.len(), PAGES);
            }
            "webVitals" => {
                let of_each = 4 * (TARGETS.len() + 1);
                assert_eq!(api.records("vitals", *project).await.len(), of_each);
            }
            _ => {
                let kept = format!("SELECT count(*) FROM ai_answers WHERE job_id = {job}");
                assert_eq!(world.database.counts(&kept)[0].1, ANSWERS);
            }
        }
    }
    for (label, number) in world.database.counts(AUDIT) {
        assert!(number == 0 || !label.starts_with("wrong"), "{label}");
    }
}

async fn stopped_worker_requeues_every_kind_of_job(mut world: World) {
    let (_around, working, jobs) = under_way(&mut world).await;
    let (status, took) = working.worker.terminate();
    assert!(
        status.success() && took < Duration::from_secs(30),
        "{status} in {took:?}"
    );
    drop(working.beside);
    let given_back =
        "SELECT count(*) FROM jobs WHERE state = 'ready' AND attempt = 0 AND lease_owner IS NULL";
    assert_eq!(world.database.counts(given_back)[0].1, 4);
    let again = start(&world);
    assert_whole(&world, &again.api, &jobs, Some(1)).await;
}

async fn frozen_worker_repeats_nothing_for_any_kind(mut world: World) {
    let (_around, working, jobs) = under_way(&mut world).await;
    working.worker.freeze();
    if world.is_sqlite() {
        // Server and worker are one process: when it resumes, its own leases have expired.
        tokio::time::sleep(Duration::from_secs(8)).await;
        working.worker.thaw();
        assert_whole(&world, &working.api, &jobs, None).await;
        return;
    }
    let other = world.worker();
    for it in &jobs {
        let again = |job: &serde_json::Value| number(job, "/attempts") == 2;
        working.api.follow(it.job, again).await;
    }
    // Both treat their leases as valid; those of one have expired.
    working.worker.thaw();
    assert_whole(&world, &working.api, &jobs, Some(2)).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_whole(&world, &working.api, &jobs, Some(2)).await;
    drop(other);
}
