//! Web vitals through the API: without keys and browser, blocked by robots.txt, killed.

mod chromium;
mod field_data;

use super::{
    api::{Api, done_units, number},
    google::{Google, KEY},
    on_both,
    small_site::{HOST, SmallSite},
    world::World,
};
use serde_json::{Value, json};
use std::time::Duration;

pub const HOME: &str = "http://acme.example.com/";
pub const EVERYBODY: &str = "User-agent: *\nAllow: /\n";

on_both!(
    missing_keys_and_browser_are_reported_everywhere,
    page_blocked_by_robots_is_not_loaded_and_reported,
    killed_run_resumes_and_measures_no_page_twice,
);

/// Without a key, and with a browser path that does not exist.
pub fn bare(world: &mut World, site: &SmallSite) {
    site.settle_in(world);
    world.set("VITALS__LAB__BROWSER", "/nonexistent/browser");
}

pub fn with_key(world: &mut World, source: &str, google: &Google) {
    let base_url = format!("http://{}", google.address);
    world.set(&format!("VITALS__{source}__BASE_URL"), &base_url);
    world.set(&format!("VITALS__{source}__API_KEY"), KEY);
}

/// A project with one keyword per target path.
pub async fn project(api: &Api, targets: &[&str]) -> i64 {
    let project = api.project(HOST, targets.len()).await;
    let keywords = api.get(&format!("/projects/{project}/keywords")).await;
    let keywords = keywords["items"].as_array().unwrap();
    for (keyword, path) in keywords.iter().zip(targets) {
        let target = json!({ "targetUrl": format!("http://{HOST}{path}") });
        let place = format!("/keywords/{}", keyword["id"]);
        let (status, updated) = api.call("PATCH", &place, Some(&target)).await;
        assert_eq!(status, 200, "{updated}");
    }
    project
}

async fn measured(api: &Api, project: i64, status: &str) -> Vec<Value> {
    let job = api.analyze("webVitals", project).await;
    let over = api.finished(job).await;
    assert_eq!(over["status"], status, "{over}");
    api.records("vitals", project).await
}

/// By page, `source` and `formFactor`.
fn record<'a>(records: &'a [Value], url: &str, source: &str, device: &str) -> &'a Value {
    let wanted = |it: &&Value| {
        it["requestedUrl"] == url && it["source"] == source && it["formFactor"] == device
    };
    let mut found = records.iter().filter(wanted);
    let one = found.next();
    assert!(found.next().is_none(), "there are two");
    one.unwrap_or_else(|| panic!("no {source} of {url} on {device}: {records:#?}"))
}

async fn health(api: &Api) -> Value {
    let health = api.get("/health").await;
    let providers = health["providers"].as_array().unwrap();
    let vitals = providers.iter().find(|it| it["need"] == "vitals");
    vitals.unwrap().clone()
}

async fn missing_keys_and_browser_are_reported_everywhere(mut world: World) {
    let site = SmallSite::start(EVERYBODY);
    bare(&mut world, &site);
    let (_server, api) = world.serve(&[]);
    let provider = health(&api).await;
    assert_eq!(
        (&provider["state"], &provider["label"]),
        (&json!("notConfigured"), &Value::Null)
    );
    let missing = provider["missing"].to_string();
    assert!(
        missing.contains("field data") && missing.contains("/nonexistent/browser"),
        "{missing}"
    );

    // The sandbox's positions do not name real pages.
    let project = project(&api, &["/a", "/gone"]).await;
    let ranked = api.analyze("rankCheck", project).await;
    api.finished(ranked).await;
    let dry_run = json!({ "type": "webVitals", "projectId": project, "dryRun": true });
    let (_, plan) = api.call("POST", "/analyze", Some(&dry_run)).await;
    assert_eq!(
        (
            &plan["units"],
            &plan["unit"],
            &plan["expectedCost"]["calls"]
        ),
        (&json!(3), &json!("pages"), &json!(0)),
        "{plan}"
    );

    let job = api.analyze("webVitals", project).await;
    let over = api.finished(job).await;
    assert_eq!(over["status"], "partial", "{over}");
    assert_eq!(
        (number(&over, "/progress/done"), &over["progress"]["unit"]),
        (3, &json!("pages"))
    );
    let results = api
        .get(&format!("/results?type=vitals&projectId={project}"))
        .await;
    assert_eq!(
        results["warnings"],
        json!(["fieldVitalsNotConfigured", "labNotConfigured", "pageStatus"])
    );
    assert_eq!(
        results["coverage"],
        json!({ "requested": 6, "measured": 4, "failed": 2, "skipped": 0 })
    );
    let records = results["items"].as_array().unwrap();
    assert_eq!(records.len(), 6);
    for device in ["phone", "desktop"] {
        let home = record(records, HOME, "lab", device);
        assert_eq!(
            (&home["status"], &home["warnings"]),
            (&json!("partial"), &json!(["noBrowser"]))
        );
        assert!(home["metrics"]["ttfb"]["value"].is_number(), "{home}");
        for claim in ["lcp", "cls", "fcp", "tbt", "si"] {
            assert_eq!(home["metrics"][claim], Value::Null, "{home}");
        }
        assert_eq!(home["performanceScore"], Value::Null);
        assert_eq!(home["resourceSummary"]["stylesheet"]["count"], 1);
        let gone = record(records, &format!("http://{HOST}/gone"), "lab", device);
        assert_eq!(gone["error"], "pageStatus");
    }
    let of_one = format!("/results?type=vitals&projectId={project}&url=http://{HOST}/a");
    let of_one = api.get(&of_one).await;
    assert_eq!(of_one["items"].as_array().unwrap().len(), 2);
    world.assert_nothing_staged(job).await;
}

async fn page_blocked_by_robots_is_not_loaded_and_reported(mut world: World) {
    let site = SmallSite::start(
        "User-agent: *\nAllow: /\n\nUser-agent: sightlinebot\nDisallow: /private\n",
    );
    bare(&mut world, &site);
    let (_server, api) = world.serve(&[]);
    let project = project(&api, &["/private", "/moved", "/a"]).await;
    let records = measured(&api, project, "partial").await;
    for path in ["/private", "/moved"] {
        for device in ["phone", "desktop"] {
            let refused = record(&records, &format!("http://{HOST}{path}"), "lab", device);
            assert_eq!(
                (&refused["status"], &refused["error"]),
                (&json!("error"), &json!("robotsDisallowed"))
            );
            assert!(refused["metrics"]["ttfb"].is_null());
        }
    }
    assert_eq!(
        record(&records, &format!("http://{HOST}/a"), "lab", "phone")["status"],
        "partial"
    );
    assert_eq!(site.requests("/private"), 0);
    assert_eq!(
        site.requests("/moved"),
        1,
        "requested once, for both devices"
    );
}

async fn killed_run_resumes_and_measures_no_page_twice(mut world: World) {
    let (site, google) = (SmallSite::start(EVERYBODY), Google::start());
    bare(&mut world, &site);
    with_key(&mut world, "CRUX", &google);
    let paths = ["/a", "/b", "/c", "/d", "/e"];
    let pages: Vec<String> = paths
        .iter()
        .map(|it| format!("http://{HOST}{it}"))
        .collect();
    for page in pages.iter().map(String::as_str).chain([HOME]) {
        google.known().lcp.insert(page.to_owned(), 2_000);
    }
    google.known().pause = Duration::from_millis(400);
    let (server, api) = world.serve(&[]);
    let project = project(&api, &paths).await;
    let job = api.analyze("webVitals", project).await;
    let half = api.follow(job, |job| done_units(job) >= 2).await;
    server.kill();
    let in_flight = 2;
    let before = google.known().queries.len();
    assert!(
        number(&half, "/progress/total") == 6 && before < 12,
        "{half}"
    );

    let (_server, api) = world.serve(&[]);
    // Pages are chosen once, even if keywords are deleted meanwhile.
    let keywords = api.get(&format!("/projects/{project}/keywords")).await;
    api.delete(&format!("/keywords/{}", keywords["items"][0]["id"]))
        .await;
    let over = api.finished(job).await;
    assert_eq!(
        (
            &over["status"],
            number(&over, "/attempts"),
            number(&over, "/progress/done")
        ),
        (&json!("succeeded"), 2, 6),
        "{over}"
    );
    let records = api.records("vitals", project).await;
    assert_eq!(records.len(), 24);
    for page in pages.iter().map(String::as_str).chain([HOME]) {
        for device in ["phone", "desktop"] {
            assert_eq!(record(&records, page, "field", device)["status"], "ok");
            assert_eq!(record(&records, page, "lab", device)["status"], "partial");
        }
    }
    // Only what was under way at the kill was started twice.
    let queries = google.known().queries.len();
    assert!((12..12 + in_flight).contains(&queries), "{queries}");
    let loads = site.requests("/style.css");
    assert!((12..12 + in_flight).contains(&loads), "{loads}");
    world.assert_nothing_staged(job).await;
}
