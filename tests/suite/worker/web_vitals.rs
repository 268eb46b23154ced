//! Web vitals through the API: with and without keys and a browser, refused by robots.txt, killed.

use super::{
    api::{Api, done, number},
    google::{Google, KEY},
    on_both,
    small_site::{HOST, SmallSite},
    world::World,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path, time::Duration};

const HOME: &str = "http://acme.example.com/";
const EVERYBODY: &str = "User-agent: *\nAllow: /\n";

on_both!(
    without_keys_and_a_browser_files_are_read_and_everything_says_what_is_missing,
    visitors_figures_and_loads_of_others_come_over_http_and_have_a_trend,
    a_source_that_is_away_is_asked_again_and_what_was_measured_stays,
    a_key_that_is_not_accepted_fails_its_records_and_no_others,
    a_page_that_robots_txt_forbids_is_not_loaded_and_its_record_says_so,
    a_killed_run_goes_on_and_measures_no_page_twice,
    chromium_loads_pages_and_ends_at_once_when_nobody_wants_them_any_more,
);

/// No key, and no browser where one is looked for.
fn bare(world: &mut World, site: &SmallSite) {
    site.settle_in(world);
    world.set("VITALS__LAB__BROWSER", "/nonexistent/browser");
}

fn with_key(world: &mut World, source: &str, google: &Google) {
    let base_url = format!("http://{}", google.address);
    world.set(&format!("VITALS__{source}__BASE_URL"), &base_url);
    world.set(&format!("VITALS__{source}__API_KEY"), KEY);
}

/// A project whose keywords aim at these paths.
async fn project(api: &Api, targets: &[&str]) -> i64 {
    let project = api.project(HOST, targets.len()).await;
    let keywords = api.get(&format!("/projects/{project}/keywords")).await;
    let keywords = keywords["items"].as_array().unwrap();
    for (keyword, path) in keywords.iter().zip(targets) {
        let target = json!({ "targetUrl": format!("http://{HOST}{path}") });
        let place = format!("/keywords/{}", keyword["id"]);
        let (status, told) = api.call("PATCH", &place, Some(&target)).await;
        assert_eq!(status, 200, "{told}");
    }
    project
}

async fn measured(api: &Api, project: i64, status: &str) -> Vec<Value> {
    let job = api.analyse("webVitals", project).await;
    let over = api.finished(job).await;
    assert_eq!(over["status"], status, "{over}");
    api.records("vitals", project).await
}

/// The record of a page, `source` and `formFactor`.
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

async fn without_keys_and_a_browser_files_are_read_and_everything_says_what_is_missing(
    mut world: World,
) {
    let site = SmallSite::start(EVERYBODY);
    bare(&mut world, &site);
    let (_server, api) = world.serve(&[]);
    let told = health(&api).await;
    assert_eq!(
        (&told["state"], &told["label"]),
        (&json!("notConfigured"), &Value::Null)
    );
    let missing = told["missing"].to_string();
    assert!(
        missing.contains("Chrome UX Report API") && missing.contains("/nonexistent/browser"),
        "{missing}"
    );

    // Positions of the sandbox are nobody's pages.
    let project = project(&api, &["/a", "/gone"]).await;
    let ranked = api.analyse("rankCheck", project).await;
    api.finished(ranked).await;
    let asked = json!({ "type": "webVitals", "projectId": project, "dryRun": true });
    let (_, plan) = api.call("POST", "/analyze", Some(&asked)).await;
    assert_eq!(
        (
            &plan["units"],
            &plan["unit"],
            &plan["expectedCost"]["calls"]
        ),
        (&json!(3), &json!("pages"), &json!(0)),
        "{plan}"
    );

    let job = api.analyse("webVitals", project).await;
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

async fn visitors_figures_and_loads_of_others_come_over_http_and_have_a_trend(mut world: World) {
    let (site, google) = (SmallSite::start(EVERYBODY), Google::start());
    bare(&mut world, &site);
    with_key(&mut world, "CRUX", &google);
    with_key(&mut world, "PAGE_SPEED", &google);
    google.known().lcp.insert(HOME.to_owned(), 2_000);
    let origin = HOME.trim_end_matches('/').to_owned();
    world.set("LOG__LEVEL", "debug");
    let (mut server, api) = world.serve(&[]);
    let told = health(&api).await;
    assert_eq!(
        (&told["state"], &told["label"], &told["missing"]),
        (
            &json!("ready"),
            &json!("CrUX, PageSpeed Insights"),
            &json!([])
        )
    );

    let page = format!("http://{HOST}/a");
    let project = project(&api, &["/a"]).await;
    let first = measured(&api, project, "succeeded").await;
    let home = record(&first, HOME, "field", "phone");
    assert_eq!(
        (
            &home["metrics"]["lcp"]["p75"],
            &home["metrics"]["cls"]["p75"],
            &home["assessment"]
        ),
        (&json!(2000.0), &json!(0.05), &json!("passed"))
    );
    assert_eq!(
        (&home["provider"], &home["provenance"], &home["trend"]),
        (&json!("CrUX"), &json!("imported"), &Value::Null)
    );
    assert_eq!(home["collectionPeriod"]["lastDate"], "2026-11-20");
    let unknown = record(&first, &page, "field", "desktop");
    assert_eq!(
        (&unknown["status"], &unknown["warnings"]),
        (&json!("insufficientData"), &json!(["noFieldData"]))
    );
    let lab = record(&first, &page, "lab", "desktop");
    assert_eq!(
        (
            &lab["provider"],
            &lab["provenance"],
            &lab["metrics"]["lcp"]["value"]
        ),
        (
            &json!("PageSpeed Insights"),
            &json!("imported"),
            &json!(3100.25)
        )
    );
    // PSI tells no score of its own making here: it is computed from its figures.
    assert!(
        lab["performanceScore"]
            .as_i64()
            .is_some_and(|it| (50..100).contains(&it)),
        "{lab}"
    );
    // Who loads the pages is Google: nobody of ours has knocked.
    assert_eq!(site.asked("/a"), 0);
    assert!(
        google
            .known()
            .asked
            .contains(&(origin.clone(), "DESKTOP".to_owned()))
    );
    assert!(
        google
            .known()
            .loaded
            .contains(&(page.clone(), "mobile".to_owned()))
    );

    // A page without figures gets its origin's; one with figures is compared.
    google.known().lcp.insert(HOME.to_owned(), 3_000);
    google.known().lcp.insert(origin.clone(), 2_200);
    let second = measured(&api, project, "succeeded").await;
    let home = record(&second, HOME, "field", "phone");
    let trend = &home["trend"]["lcp"];
    assert_eq!(
        (&trend["previous"], &trend["change"], &trend["direction"]),
        (&json!(2000.0), &json!(1000.0), &json!("worse"))
    );
    let fallback = record(&second, &page, "field", "phone");
    assert_eq!(fallback["url"], origin.as_str());
    assert!(
        fallback["warnings"]
            .as_array()
            .unwrap()
            .contains(&json!("originFallback"))
    );
    let steady = record(&second, HOME, "lab", "phone");
    assert_eq!(steady["trend"]["lcp"]["direction"], "steady");

    let head = api
        .get(&format!("/results?type=vitals&projectId={project}"))
        .await;
    assert_eq!(head["provider"], "CrUX, PageSpeed Insights");
    assert_eq!(head["provenance"], "imported");
    let phones = &head["summary"]["byFormFactor"]["phone"];
    assert_eq!(
        (&phones["assessed"], &phones["passed"]),
        (&json!(2), &json!(1))
    );
    let said = server.said().join("\n");
    assert!(
        said.lines().count() > 10 && !said.contains(KEY),
        "the log holds the key"
    );
}

async fn a_source_that_is_away_is_asked_again_and_what_was_measured_stays(mut world: World) {
    let (site, google) = (SmallSite::start(EVERYBODY), Google::start());
    bare(&mut world, &site);
    with_key(&mut world, "CRUX", &google);
    google.known().lcp.insert(HOME.to_owned(), 2_000);
    google.known().trouble = Some((503, "UNAVAILABLE"));
    let (_server, api) = world.serve(&[]);
    let project = project(&api, &[]).await;
    let job = api.analyse("webVitals", project).await;
    let waiting = api.follow(job, |job| job["status"] == "retrying").await;
    assert!(waiting["error"]["retryable"] == true, "{waiting}");
    let loads = site.asked("/style.css");
    assert_eq!(loads, 2, "phone and desktop");

    google.known().trouble = None;
    let over = api.finished(job).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    assert!(number(&over, "/attempts") >= 2);
    assert_eq!(site.asked("/style.css"), loads, "no page was loaded again");
    let records = api.records("vitals", project).await;
    assert_eq!(records.len(), 4);
    assert_eq!(record(&records, HOME, "field", "desktop")["status"], "ok");
}

async fn a_key_that_is_not_accepted_fails_its_records_and_no_others(mut world: World) {
    let (site, google) = (SmallSite::start(EVERYBODY), Google::start());
    bare(&mut world, &site);
    with_key(&mut world, "CRUX", &google);
    world.set("VITALS__CRUX__API_KEY", "another");
    let (_server, api) = world.serve(&[]);
    let project = project(&api, &["/a"]).await;
    let records = measured(&api, project, "partial").await;
    let field: Vec<&Value> = records
        .iter()
        .filter(|it| it["source"] == "field")
        .collect();
    let codes: BTreeMap<String, usize> = field.iter().fold(BTreeMap::new(), |mut codes, it| {
        *codes.entry(it["error"].to_string()).or_default() += 1;
        codes
    });
    assert_eq!((field.len(), codes.len()), (4, 1), "{codes:?}");
    assert!(field.iter().all(|it| it["metrics"]["lcp"].is_null()));
    let lab = records.iter().filter(|it| it["source"] == "lab");
    assert!(lab.clone().count() == 4 && lab.clone().all(|it| it["status"] == "partial"));
}

async fn a_page_that_robots_txt_forbids_is_not_loaded_and_its_record_says_so(mut world: World) {
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
    assert_eq!(site.asked("/private"), 0);
    assert_eq!(site.asked("/moved"), 1, "asked once, for both devices");
}

async fn a_killed_run_goes_on_and_measures_no_page_twice(mut world: World) {
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
    let job = api.analyse("webVitals", project).await;
    let half = api.follow(job, |job| done(job) >= 2).await;
    server.kill();
    let in_flight = 2;
    let before = google.known().asked.len();
    assert!(
        number(&half, "/progress/total") == 6 && before < 12,
        "{half}"
    );

    let (_server, api) = world.serve(&[]);
    // Pages are chosen once, whatever becomes of keywords meanwhile.
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
    // Only what was under way when it was killed was begun twice.
    let asked = google.known().asked.len();
    assert!((12..12 + in_flight).contains(&asked), "{asked}");
    let loads = site.asked("/style.css");
    assert!((12..12 + in_flight).contains(&loads), "{loads}");
    world.assert_nothing_staged(job).await;
}

fn has_chromium() -> bool {
    let places = ["/usr/lib/chromium/chromium", "/usr/bin/chromium"];
    places.iter().any(|it| Path::new(it).is_file())
}

/// Browsers whose files are in that folder.
fn browsers(folder: &Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = processes.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
    let folder = folder.to_str().unwrap();
    commands
        .filter(|it| String::from_utf8_lossy(it).contains(folder))
        .count()
}

async fn chromium_loads_pages_and_ends_at_once_when_nobody_wants_them_any_more(mut world: World) {
    if !has_chromium() {
        eprintln!("SKIPPED: there is no Chromium; tests/run installs it");
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    // The browser runs as somebody else when the tests run as root.
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let site = SmallSite::start(EVERYBODY);
    site.settle_in(&mut world);
    world.set("VITALS__LAB__RUNS", "1");
    world.set("VITALS__LAB__FOLDER", folder.path().to_str().unwrap());
    let (_server, api) = world.serve(&[]);
    assert_eq!(health(&api).await["label"], "chromium");
    let project_id = project(&api, &[]).await;
    let records = measured(&api, project_id, "succeeded").await;
    assert_eq!(records.len(), 2);
    for device in ["phone", "desktop"] {
        let home = record(&records, HOME, "lab", device);
        assert_eq!(
            (&home["provider"], &home["provenance"], &home["runs"]),
            (&json!("chromium"), &json!("measured"), &json!(1)),
            "{home}"
        );
        for metric in ["lcp", "fcp", "ttfb"] {
            assert!(
                home["metrics"][metric]["value"].as_f64() > Some(0.0),
                "{home}"
            );
        }
    }
    assert_eq!(browsers(folder.path()), 0);

    // A page that never is quiet: the browser is there until the project is taken out of use.
    let keyword = api
        .call(
            "POST",
            &format!("/projects/{project_id}/keywords"),
            Some(&json!({ "keywords": ["x"] })),
        )
        .await
        .1;
    let place = format!("/keywords/{}", keyword["created"][0]["id"]);
    let target = json!({ "targetUrl": format!("http://{HOST}/endless") });
    assert_eq!(api.call("PATCH", &place, Some(&target)).await.0, 200);
    let job = api.analyse("webVitals", project_id).await;
    for _ in 0..1_200 {
        if site.asked("/slow.js") > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(browsers(folder.path()) > 0);
    api.delete(&format!("/projects/{project_id}")).await;
    assert_eq!(api.finished(job).await["status"], "canceled");
    for _ in 0..200 {
        if browsers(folder.path()) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a browser is left");
}
