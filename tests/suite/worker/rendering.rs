//! Site audits with rendering in Chromium: through the API, and by `sightline audit`.

use super::{
    api::Api,
    on_both,
    process::command,
    small_site::{HOST, SmallSite},
    website::Website,
    world::World,
};
use serde_json::{Value, json};
use std::{fs::Permissions, os::unix::fs::PermissionsExt, path::Path, process::Output};
use tempfile::TempDir;

on_both!(
    site_audit_reports_rendered_content,
    site_audit_without_chromium_succeeds_with_a_warning,
);

const EVERYBODY: &str = "User-agent: *\nAllow: /\n";

/// A folder that browsers can access, which run as another user if the tests run as root.
fn folder() -> TempDir {
    let places = ["/usr/lib/chromium/chromium", "/usr/bin/chromium"];
    assert!(
        places.iter().any(|it| Path::new(it).is_file()),
        "there is no Chromium; tests/run installs it"
    );
    let folder = TempDir::new().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

async fn audited(api: &Api) -> (Value, Value) {
    let project = api.project(HOST, 0).await;
    let job = api.analyze("siteAudit", project).await;
    let over = api.finished(job).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let of = |kind: &str| format!("/results?type={kind}&projectId={project}");
    (
        api.get(&of("content")).await,
        api.get(&of("broken-links")).await,
    )
}

async fn site_audit_reports_rendered_content(mut world: World) {
    let (folder, site) = (folder(), SmallSite::start(EVERYBODY));
    site.settle_in(&mut world);
    world.set("CRAWLER__RENDER_PAGES", "5");
    world.set("VITALS__LAB__FOLDER", folder.path().to_str().unwrap());
    let (_server, api) = world.serve(&[]);
    let (content, _) = audited(&api).await;
    assert_eq!(content["warnings"], json!([]));
    let summary = &content["summary"];
    let counts = (&summary["renderedPages"], &summary["renderFailures"]);
    assert_eq!(counts, (&json!(1), &json!(0)));
    let rendered = &content["items"][0]["rendered"];
    assert_eq!(rendered["state"], "ok", "{rendered}");
    assert_eq!(rendered["words"]["staticShare"], 1.0, "{rendered}");
    assert_eq!(site.requests("/"), 2, "read and shown");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

async fn site_audit_without_chromium_succeeds_with_a_warning(mut world: World) {
    let site = SmallSite::start(EVERYBODY);
    site.settle_in(&mut world);
    world.set("CRAWLER__RENDER_PAGES", "5");
    world.set("VITALS__LAB__BROWSER", "/nonexistent/browser");
    let (_server, api) = world.serve(&[]);
    let (content, links) = audited(&api).await;
    assert_eq!(content["warnings"], json!(["rendererNotConfigured"]));
    assert_eq!(links["warnings"], json!([]));
    assert_eq!(content["items"][0]["rendered"], Value::Null);
}

fn audit(site: &Website, browsers: &TempDir, set: &[(&str, &str)], more: &[&str]) -> Output {
    let crawler = [
        ("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]"),
        ("CRAWLER__PER_HOST_DELAY_MS", "0"),
        ("VITALS__LAB__FOLDER", browsers.path().to_str().unwrap()),
    ];
    let settings: Vec<(String, String)> = crawler
        .iter()
        .chain(set)
        .map(|(name, value)| (format!("SIGHTLINE_{name}"), (*value).to_owned()))
        .collect();
    let url = format!("http://{}/", site.address);
    let arguments = [&["audit", &url], more].concat();
    let own = TempDir::new().unwrap();
    let mut audit = command(own.path(), &settings, &arguments);
    audit.output().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn audit_renders_the_requested_number_of_pages() {
    let (browsers, site) = (folder(), Website::start());
    let report = browsers.path().join("report.html");
    let html = report.to_str().unwrap();
    let more = ["--render", "2", "--json", "--html", html];
    let ran = audit(&site, &browsers, &[], &more);
    assert!(ran.status.success(), "{ran:?}");
    let html_text = std::fs::read_to_string(&report).unwrap();
    std::fs::remove_file(&report).unwrap();
    assert!(
        html_text.contains(" pages were rendered in Chromium "),
        "{html_text}"
    );
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let items = report["items"].as_array().unwrap();
    let rendered: Vec<&Value> = items
        .iter()
        .filter(|it| it["type"] == "content" && !it["rendered"].is_null())
        .collect();
    assert_eq!(rendered.len(), 2);
    for page in rendered {
        assert_eq!(page["rendered"]["state"], "ok", "{page}");
        assert_eq!(page["rendered"]["title"]["change"], "same", "{page}");
    }
    assert_eq!(report["summary"]["content"]["renderedPages"], 2);
    assert_eq!(std::fs::read_dir(browsers.path()).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn audit_without_chromium_warns_and_continues() {
    let (browsers, site) = (TempDir::new().unwrap(), Website::start());
    let nowhere = [("VITALS__LAB__BROWSER", "/nonexistent/browser")];
    let report = browsers.path().join("report.html");
    let html = report.to_str().unwrap();
    let more = ["--render", "--max-pages", "3", "--html", html];
    let ran = audit(&site, &browsers, &nowhere, &more);
    assert!(ran.status.success(), "{ran:?}");
    let stderr = String::from_utf8(ran.stderr).unwrap();
    for word in ["rendererNotConfigured", "/nonexistent/browser"] {
        assert!(stderr.contains(word), "{word} in {stderr}");
    }
    let html_text = std::fs::read_to_string(&report).unwrap();
    assert!(
        html_text.contains("No pages were rendered, because no browser was found"),
        "{html_text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_names_the_rendering_browser() {
    let doctor = |set: &[(&str, &str)]| {
        let settings: Vec<(String, String)> = { set.iter() }
            .map(|(name, value)| (format!("SIGHTLINE_{name}"), (*value).to_owned()))
            .collect();
        let own = TempDir::new().unwrap();
        let ran = command(own.path(), &settings, &["doctor", "--json"])
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap().iter();
        let mut of_rendering = checks.filter(|it| it["check"] == "rendering");
        let check = of_rendering.next().unwrap();
        let word = |name: &str| check[name].as_str().unwrap_or_default().to_owned();
        (word("state"), word("told"), word("todo"))
    };
    let (state, description, _) = doctor(&[("CRAWLER__RENDER_PAGES", "7")]);
    assert_eq!(state, "good");
    assert!(
        description.contains("first 7 pages in Chromium "),
        "{description}"
    );
    let (state, description, _) = doctor(&[]);
    assert_eq!(state, "good");
    assert!(
        description.contains("crawler.render_pages is 0"),
        "{description}"
    );
    let nowhere = ("VITALS__LAB__BROWSER", "/nonexistent/browser");
    let (state, description, todo) = doctor(&[("CRAWLER__RENDER_PAGES", "7"), nowhere]);
    assert_eq!(state, "notice");
    assert!(description.contains("no browser was found") && todo.contains("/nonexistent/browser"));
}
