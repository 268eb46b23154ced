//! Metrics of failures, cost and rejected requests: each changes.
//!
//! Requeued jobs are covered by `crashes.rs` and `machine_failures.rs`.

use super::{
    admin_client::AdminClient, api::Api, loopback::Loopback, on_both, paid::paying,
    small_site::HOST, world::World,
};
use actix_web::{HttpResponse, web};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

on_both!(
    retries_are_counted_with_their_reason,
    cost_rejections_and_supplier_failures_are_counted,
    crawled_bytes_and_blocked_requests_are_counted,
    refused_key_is_reported_until_a_call_succeeds,
);

/// Asserts that nothing was counted yet.
async fn is_still(watcher: &AdminClient, names: &[&str]) {
    let rest = watcher.metrics().await;
    for name in names {
        let served = format!("sightline_{name}");
        assert!(rest.types.contains_key(&served), "{name} is not announced");
        assert!(rest.sum(name, &[]).abs() < f64::EPSILON, "{name}");
    }
}

async fn retries_are_counted_with_their_reason(mut world: World) {
    world.set("SEARCH__SANDBOX__FAILURE_RATE", "1");
    world.set("QUEUE__FIRST_DELAY_SECONDS", "600");
    let (_server, api, watcher) = world.serve_with_admin(&[]);
    is_still(&watcher, &["job_retries_total"]).await;
    let project = api.project("example.com", 2).await;
    let job = api.analyze("rankCheck", project).await;
    let waits = |job: &Value| job["status"] == "retrying";
    let seen = api.follow(job, waits).await;
    let reason = format!("reason={}", seen["error"]["code"]);
    let words = ["type=\"rankCheck\"", &reason];
    watcher.await_sum("job_retries_total", &words, 1.0).await;
    watcher.await_sum("job_retries_total", &[], 1.0).await;
}

async fn cost_rejections_and_supplier_failures_are_counted(mut world: World) {
    let serper = paying(&mut world, 5);
    let (_server, api, watcher) = world.serve_with_admin(&[]);
    let cost = "provider_cost_micro_usd_total";
    let breaker = "provider_breaker_state";
    is_still(&watcher, &[cost, breaker, "quota_rejected_total"]).await;

    let small = api.project("a.example.com", 2).await;
    let over = api.finished(api.analyze("rankCheck", small).await).await;
    assert_eq!(over["cost"]["amount"], "0.006", "{over}");
    let of_serper = &["provider=\"serper\""][..];
    watcher.await_sum(cost, of_serper, 6_000.0).await;
    watcher.await_sum(breaker, of_serper, 0.0).await;
    let scraped = watcher.metrics().await.text;
    assert!(scraped.contains("provider_breaker_state{"), "{scraped}");

    // From here every answer is billed but unreadable, which uses up the budget.
    serper.state().nonsense = u32::MAX;
    let large = api.project("b.example.com", 18).await;
    api.analyze("rankCheck", large).await;
    watcher.await_sum(breaker, of_serper, 2.0).await;
    let spent = f64::from(serper.state().billed()) * 1_000.0;
    watcher.await_sum(cost, of_serper, spent).await;

    let more = api.project("c.example.com", 20).await;
    let body = json!({ "type": "rankCheck", "projectId": more });
    let (status, refusal) = api.call("POST", "/analyze", Some(&body)).await;
    assert_eq!((status, &refusal["code"]), (429, &json!("quota-exceeded")));
    let of_month = &["quota=\"monthlyBudget\""][..];
    let rejected = "quota_rejected_total";
    watcher.await_sum(rejected, of_month, 1.0).await;
    watcher.await_sum(rejected, &[], 1.0).await;
}

/// A revoked key must show in metrics, health and `doctor`.
async fn refused_key_is_reported_until_a_call_succeeds(mut world: World) {
    let serper = paying(&mut world, 5);
    serper.state().refuses = true;
    let (mut server, api, watcher) = world.serve_with_admin(&[]);
    let search = async |api: &Api| api.get("/health").await["providers"][0].clone();
    assert_eq!(search(&api).await["state"], "ready");
    let project = api.project("a.example.com", 5).await;
    // Each job ends with the first refusal, and three in a row open the breaker.
    for _ in 0..3 {
        let over = api.finished(api.analyze("rankCheck", project).await).await;
        assert_eq!(over["status"], "failed", "{over}");
    }
    let of_serper = &["provider=\"serper\""][..];
    watcher
        .await_sum("provider_breaker_state", of_serper, 2.0)
        .await;
    server.await_line("supplierUnauthorised");
    let provider = until(&api, "failing").await;
    let missing = provider["missing"].to_string();
    assert!(missing.contains("refuses this server"), "{provider}");
    assert_no_supplier_is_named(&api, project).await;
    assert!(missing.contains("supplierUnauthorised"), "{provider}");
    let doctor = || {
        let output = world.command(&["doctor", "--json"]).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        let check = checks
            .into_iter()
            .find(|it| it["check"] == "suppliers' accounts");
        check.unwrap()
    };
    let check = doctor();
    assert_eq!(check["state"], "bad", "{check}");
    assert!(check["told"].to_string().contains("serper"), "{check}");
    drop(server);

    // After the operator fixes the key, the failure is shown until a call succeeds.
    serper.state().refuses = false;
    let (_server, api) = world.serve(&[]);
    assert_eq!(search(&api).await["state"], "failing");
    let over = api.finished(api.analyze("rankCheck", project).await).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    until(&api, "ready").await;
    assert_eq!(doctor()["state"], "good");
    assert_no_supplier_is_named(&api, project).await;
}

/// An account reads the kind of source and its state, never the supplier.
async fn assert_no_supplier_is_named(api: &Api, project: i64) {
    for path in [
        "/health".to_owned(),
        "/analyze".to_owned(),
        format!("/results?type=all&projectId={project}"),
        format!("/results?type=rankings&projectId={project}"),
        format!("/results?type=serp&projectId={project}"),
    ] {
        let text = api.get(&path).await.to_string().to_lowercase();
        assert!(!text.contains("serper"), "{path}: {text}");
    }
}

/// Polls until search results have that state.
async fn until(api: &Api, state: &str) -> Value {
    let begun = Instant::now();
    loop {
        let provider = api.get("/health").await["providers"][0].clone();
        if provider["state"] == state {
            return provider;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{provider}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn crawled_bytes_and_blocked_requests_are_counted(mut world: World) {
    const PAGE: &str = "<!doctype html><title>Acme</title><a href=/private>one</a>\
         <a href=http://10.1.2.3/>two</a><a href=http://10.1.2.4/>three</a>";
    let site = Loopback::start(|app| {
        let robots = || async { HttpResponse::Ok().body("User-agent: *\nDisallow: /private\n") };
        let page = || async { HttpResponse::Ok().content_type("text/html").body(PAGE) };
        app.route("/robots.txt", web::get().to(robots))
            .route("/", web::get().to(page));
    });
    let at = site.address;
    let resolve = format!("[\"{HOST}:80={at}\",\"{HOST}:443=127.0.0.1:1\"]");
    world.set("CRAWLER__RESOLVE", &resolve);
    world.set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]");
    world.set("CRAWLER__PER_HOST_DELAY_MS", "0");
    let (_server, api, watcher) = world.serve_with_admin(&[]);
    is_still(&watcher, &["crawler_blocked_total", "crawler_bytes_total"]).await;
    let project = api.project(HOST, 0).await;
    let over = api.finished(api.analyze("siteAudit", project).await).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let moved = watcher.metrics().await;
    let counted = |reason: &str| {
        let label = format!("reason=\"{reason}\"");
        moved.sum("crawler_blocked_total", &[&label])
    };
    assert!(counted("robots") >= 1.0, "{}", counted("robots"));
    assert!(counted("literal") >= 2.0, "{}", counted("literal"));
    let read = moved.sum("crawler_bytes_total", &[]);
    let min_bytes = u32::try_from(PAGE.len()).unwrap();
    assert!(
        read >= f64::from(min_bytes) && read < 20.0 * f64::from(min_bytes),
        "{read}"
    );
}
