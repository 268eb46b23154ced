//! Requested ends: of jobs, accounts and servers.

use super::{
    api::{done_units, number},
    on_both,
    world::World,
};
use chrono::TimeDelta;
use domain::{
    ids::{AccountId, JobId},
    job::JobState,
    ports::{jobs::QueueSummary, storage::Storage},
};
use std::time::{Duration, Instant};

on_both!(
    deactivated_project_ends_its_job_unpublished,
    no_job_runs_for_a_disabled_account,
    stopping_server_reports_unready_before_closing,
    stopping_server_answers_long_polls_at_once,
    partial_check_keeps_the_other_keywords,
);

async fn stopping_server_answers_long_polls_at_once(world: World) {
    let (server, api) = world.serve(&["--no-worker"]);
    let project = api.project("example.com", 1).await;
    let job = api.analyze("rankCheck", project).await;
    let begun = Instant::now();
    let waiting = tokio::spawn(async move {
        let path = format!("/analyze?jobId={job}&wait=20");
        (api.get(&path).await, begun.elapsed())
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!waiting.is_finished());
    let (status, took) = server.terminate();
    assert!(status.success(), "{status}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    // A 200, as after a full wait.
    let (listed, waited) = waiting.await.unwrap();
    assert_eq!(listed["items"][0]["status"], "queued", "{listed}");
    assert!(waited < Duration::from_secs(4), "{waited:?}");
}

async fn partial_check_keeps_the_other_keywords(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 4).await;
    let all = api.analyze("rankCheck", project).await;
    api.finished(all).await;
    let before = api.records("rankings", project).await;
    let keyword = &before[2]["keywordId"];

    let some =
        serde_json::json!({ "type": "rankCheck", "projectId": project, "keywordIds": [keyword] });
    let (status, job) = api.call("POST", "/analyze", Some(&some)).await;
    assert_eq!(status, 202, "{job}");
    let over = api.finished(number(&job, "/id")).await;
    assert_eq!(over["status"], "succeeded");

    let page = api
        .get(&format!("/results?type=rankings&projectId={project}"))
        .await;
    assert_eq!(page["warnings"], serde_json::json!(["carriedOver"]));
    assert_eq!(page["summary"]["coverage"]["measured"], 4);
    let after = api.records("rankings", project).await;
    assert_eq!(after.len(), 4);
    for old in &before {
        let new = after
            .iter()
            .find(|it| it["keywordId"] == old["keywordId"])
            .unwrap();
        let is_same = new["measuredAt"] == old["measuredAt"];
        assert_eq!(is_same, old["keywordId"] != *keyword, "{new}");
    }
    assert_eq!(api.records("serp", project).await.len(), 4);
    let history = format!("/results?type=rankings&projectId={project}&history=true");
    assert_eq!(
        api.get(&history).await["items"].as_array().unwrap().len(),
        5
    );
}

async fn stopping_server_reports_unready_before_closing(mut world: World) {
    world.set("SHUTDOWN_DELAY_SECONDS", "4");
    let (mut server, api) = world.serve(&["--no-worker"]);
    assert_eq!(api.probe("/readyz").await, Some(200));
    let ending = tokio::task::spawn_blocking(move || {
        server.send_sigterm();
        server.await_line("Stopping");
        server
    });
    let mut server = ending.await.unwrap();
    assert_eq!(api.probe("/readyz").await, Some(503));
    // Clients that have not noticed are still served.
    assert_eq!(api.probe("/livez").await, Some(200));
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(api.probe("/readyz").await, None);
}

/// Running jobs stop, waiting ones never start, and schedules pause until the account is enabled again.
async fn no_job_runs_for_a_disabled_account(mut world: World) {
    world.set("SEARCH__SANDBOX__LATENCY_MS", "100");
    let (_server, api) = world.serve(&[]);
    let mut jobs = vec![];
    // An account runs four at a time; the others wait.
    for number in 0..6 {
        let project = api.project(&format!("example{number}.com"), 500).await;
        jobs.push(api.analyze("rankCheck", project).await);
    }
    api.follow(jobs[0], |job| done_units(job) >= 20).await;
    let project = api.project("example.org", 3).await;
    world.run_command(&[
        "schedule",
        "set",
        "--email",
        "ann@example.com",
        "--project",
        &project.to_string(),
        "--type",
        "rankCheck",
        "--days",
        "daily",
    ]);
    let account = AccountId(world.account());
    let storage = &world.database.storage;
    world.run_command(&["account", "disable", "--email", "ann@example.com"]);

    let begun = Instant::now();
    for job in jobs {
        let over = loop {
            let mut read = storage.read().await.unwrap();
            let found = read.jobs().find(account, JobId(job)).await.unwrap();
            match found.unwrap() {
                job if job.state.is_unfinished() => {}
                job => break job,
            }
            drop(read);
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        assert_eq!(over.state, JobState::Canceled);
        world.assert_nothing_staged(job).await;
    }
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");

    world.make_schedules_due(TimeDelta::days(2)).await;
    let refused = loop {
        let mut read = storage.read().await.unwrap();
        let schedule = read.schedules().list(account).await.unwrap().remove(0);
        if let Some(refusal) = schedule.last_refusal {
            break refusal;
        }
        drop(read);
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(refused, "the account is switched off");
    let mut read = storage.read().await.unwrap();
    let summary = read.jobs().summary(account).await.unwrap();
    assert_eq!(summary, QueueSummary::default());
    drop(read);

    world.run_command(&["account", "enable", "--email", "ann@example.com"]);
    world.make_schedules_due(TimeDelta::days(2)).await;
    loop {
        let jobs = api.get(&format!("/analyze?projectId={project}")).await;
        if let Some(job) = jobs["items"].get(0) {
            assert_eq!(job["trigger"], "schedule");
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn deactivated_project_ends_its_job_unpublished(mut world: World) {
    world.set("SEARCH__SANDBOX__LATENCY_MS", "100");
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 1_000).await;
    let job = api.analyze("rankCheck", project).await;
    api.follow(job, |job| done_units(job) >= 50).await;

    let begun = Instant::now();
    api.delete(&format!("/projects/{project}")).await;
    let over = api.finished(job).await;
    assert_eq!(over["status"], "canceled", "{over}");
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    world.assert_nothing_staged(job).await;
    assert!(api.records("rankings", project).await.is_empty());
}
