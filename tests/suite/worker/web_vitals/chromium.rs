//! Page loads in our browser, and its end.

use super::{EVERYBODY, HOME, health, measured, project, record};
use crate::{
    on_both,
    small_site::{HOST, SmallSite},
    world::World,
};
use serde_json::json;
use std::{fs::Permissions, os::unix::fs::PermissionsExt, path::Path, time::Duration};

on_both!(
    #[ignore = "slow: many loads in a browser"]
    chromium_ends_with_the_worker_or_the_project
);

fn has_chromium() -> bool {
    let places = ["/usr/lib/chromium/chromium", "/usr/bin/chromium"];
    places.iter().any(|it| Path::new(it).is_file())
}

/// Browsers that use files in that folder.
fn browsers(folder: &Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = processes.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
    let folder = folder.to_str().unwrap();
    commands
        .filter(|it| String::from_utf8_lossy(it).contains(folder))
        .count()
}

async fn chromium_ends_with_the_worker_or_the_project(mut world: World) {
    assert!(
        has_chromium(),
        "there is no Chromium; tests/run installs it"
    );
    let folder = tempfile::tempdir().unwrap();
    // The browser runs as another user if the tests run as root.
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let site = SmallSite::start(EVERYBODY);
    site.settle_in(&mut world);
    world.set("VITALS__LAB__RUNS", "1");
    world.set("VITALS__LAB__FOLDER", folder.path().to_str().unwrap());
    let (server, api) = world.serve(&[]);
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

    // A page that never becomes idle: its browser runs until the project is deactivated.
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
    let job = api.analyze("webVitals", project_id).await;
    waits_for_slow_script(&site, 1).await;
    assert!(browsers(folder.path()) > 0);
    // The home page is measured by now.
    let loads = site.requests("/style.css");
    server.kill();
    no_browser_stays(folder.path()).await;

    let (_server, api) = world.serve(&[]);
    waits_for_slow_script(&site, 2).await;
    assert_eq!(api.job(job).await["attempts"], 2);
    // Only the page under way is loaded again.
    assert!(site.requests("/style.css") <= loads + 1);
    assert_eq!(
        site.requests("/"),
        1 + 2 + 1 + 2,
        "two runs, each checks access once and loads twice"
    );
    api.delete(&format!("/projects/{project_id}")).await;
    assert_eq!(api.finished(job).await["status"], "canceled");
    no_browser_stays(folder.path()).await;
}

/// Waits until browsers have requested it that often.
async fn waits_for_slow_script(site: &SmallSite, times: usize) {
    for _ in 0..1_200 {
        if site.requests("/slow.js") >= times {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the page was never loaded");
}

async fn no_browser_stays(folder: &Path) {
    for _ in 0..200 {
        if browsers(folder) == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a browser is left");
}
