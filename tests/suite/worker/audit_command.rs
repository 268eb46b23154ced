//! `sightline audit`: one site, without account or server.

use super::{
    content_changes::ChangingSite,
    process::command,
    website::{PAGES, Website},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{ErrorKind, Write},
    net::{SocketAddr, TcpListener},
    process::{Command, Output},
};
use tempfile::TempDir;

fn audit(folder: &TempDir, site: &Website, more: &[&str]) -> Output {
    audit_of(folder, site.address, more)
}

fn audit_of(folder: &TempDir, address: SocketAddr, more: &[&str]) -> Output {
    command_of(folder, address, more).output().unwrap()
}

fn command_of(folder: &TempDir, address: SocketAddr, more: &[&str]) -> Command {
    let set = |name: &str, value: &str| (format!("SIGHTLINE_{name}"), value.to_owned());
    let settings = [
        set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]"),
        set("CRAWLER__PER_HOST_DELAY_MS", "0"),
        set("VITALS__LAB__RUNS", "1"),
        // Chromium runs as another user if the tests run as root.
        set("VITALS__LAB__FOLDER", "/tmp"),
    ];
    let url = format!("http://{address}/");
    let arguments = [&["audit", &url], more].concat();
    command(folder.path(), &settings, &arguments)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_audit_prints_nothing_and_unwritable_output_fails() {
    let (folder, site) = (TempDir::new().unwrap(), ChangingSite::start());
    site.publish(1);
    // A missing folder fails before the crawl, a folder at the file's path when the report is written.
    let nowhere = folder.path().join("nowhere/report.html");
    let cases = [
        (nowhere.to_str().unwrap(), 2, "does not exist"),
        (
            folder.path().to_str().unwrap(),
            1,
            "cannot write the report",
        ),
    ];
    for (place, code, words) in cases {
        let ran = audit_of(&folder, site.address(), &["--json", "--html", place]);
        assert_eq!(ran.status.code(), Some(code), "{ran:?}");
        assert!(ran.stdout.is_empty(), "{ran:?}");
        assert!(
            String::from_utf8_lossy(&ran.stderr).contains(words),
            "{ran:?}"
        );
    }

    let kept = folder.path().join("site.pages");
    let keep = ["--snapshot", kept.to_str().unwrap()];
    for more in [&keep[..], &["--json", keep[0], keep[1]]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut printing = command_of(&folder, site.address(), more);
        let ran = printing.stdout(full).output().unwrap();
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(stderr.contains("cannot write standard output"), "{stderr}");
        // An unprinted report must not become the baseline.
        assert!(!kept.exists());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn audit_is_reported_as_json_and_self_contained_html() {
    let (folder, site) = (TempDir::new().unwrap(), Website::start());
    let file = folder.path().join("report.html");
    let ran = audit(
        &folder,
        &site,
        &["--json", "--html", file.to_str().unwrap()],
    );
    assert!(ran.status.success(), "{ran:?}");
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let mut by_type: BTreeMap<&str, usize> = BTreeMap::new();
    for item in report["items"].as_array().unwrap() {
        *by_type.entry(item["type"].as_str().unwrap()).or_default() += 1;
    }
    for (of, number) in [
        ("content", PAGES),
        ("schema", PAGES),
        ("geo-score", PAGES),
        ("eeat", PAGES + 1),
        ("broken-links", PAGES / 5 + (PAGES - 1) / 7),
    ] {
        assert_eq!(by_type.get(of), Some(&number), "{of}");
        assert!(report["summary"][of]["methodVersion"].is_string(), "{of}");
    }
    let page = std::fs::read_to_string(file).unwrap();
    assert!(page.contains(&format!("Site audit of http://{}/", site.address)));
    for outside in ["<script", "<link", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proxy_variables_are_ignored() {
    let (folder, site) = (TempDir::new().unwrap(), Website::start());
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let place = format!("http://{}", proxy.local_addr().unwrap());
    let names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    let names = names.map(|it| [it.to_owned(), it.to_lowercase()]).concat();
    let proxied = || names.iter().map(|name| (name, &place));

    let ran = command_of(&folder, site.address, &["--json"])
        .envs(proxied())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let open = (
        "SIGHTLINE_CRAWLER__ALLOW_NETWORKS".to_owned(),
        "[\"127.0.0.0/8\"]".to_owned(),
    );
    // There is no TLS server: only the connection attempt matters.
    let encrypted = format!("https://{}/", site.address);
    let ran = command(folder.path(), &[open], &["audit", &encrypted])
        .envs(proxied())
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let no_connection = proxy.accept().unwrap_err();
    assert_eq!(no_connection.kind(), ErrorKind::WouldBlock);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn findings_of_the_severity_exit_with_3() {
    let (folder, site) = (TempDir::new().unwrap(), Website::start());
    let ran = audit(&folder, &site, &["--fail-on", "error"]);
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    let stdout = String::from_utf8(ran.stdout).unwrap();
    for words in ["internalBroken", "health", "--html FILE"] {
        assert!(stdout.contains(words), "{words} in {stdout}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_site_is_compared_and_foreign_files_stay() {
    let (folder, site) = (TempDir::new().unwrap(), ChangingSite::start());
    let file = folder.path().join("site.pages");
    let report = folder.path().join("report.html");
    let kept = ["--json", "--snapshot", file.to_str().unwrap()];
    let audited = |more: &[&str]| {
        let ran = audit_of(&folder, site.address(), &[&kept, more].concat());
        assert!(ran.status.success(), "{ran:?}");
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()
    };
    let changes = |report: &Value| -> BTreeMap<String, Value> {
        let items = report["items"].as_array().unwrap().iter();
        let of = items.filter(|it| it["type"] == "content-changes");
        of.map(|it| {
            let path = it["url"].as_str().unwrap().rsplit('/').next().unwrap();
            (format!("/{path}"), it.clone())
        })
        .collect()
    };
    site.publish(1);
    let first = audited(&[]);
    assert!(changes(&first).is_empty());
    assert_eq!(first["summary"]["content-changes"]["pages"], 0);
    site.publish(2);
    let second = audited(&["--html", report.to_str().unwrap()]);
    let compared = changes(&second);
    let changed = |path: &str| compared[path]["changed"].clone();
    assert_eq!(changed("/stays"), false);
    assert_eq!(changed("/edited"), true);
    assert_eq!(changed("/moves"), true);
    // After one failure nothing is reported.
    assert_eq!(changed("/leaves"), Value::Null);
    assert!(site.statuses("/stays").contains(&304));
    let page = std::fs::read_to_string(report).unwrap();
    assert!(page.contains("pages changed since"), "{page}");
    site.publish(2);
    let third = audited(&[]);
    assert_eq!(changes(&third)["/leaves"]["changed"], true);
    assert_eq!(changes(&third)["/edited"]["changed"], false);

    std::fs::write(&file, "Dear Ann,").unwrap();
    let refused = audit_of(&folder, site.address(), &kept);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(stderr.contains("choose another file"), "{stderr}");
    assert_eq!(std::fs::read(&file).unwrap(), b"Dear Ann,");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: three loads in a browser"]
async fn speed_of_the_first_page_is_reported_on_request() {
    let (folder, site) = (TempDir::new().unwrap(), ChangingSite::start());
    site.publish(1);
    let report = folder.path().join("report.html");
    let arguments = ["--json", "--vitals", "--html", report.to_str().unwrap()];
    let ran = audit_of(&folder, site.address(), &arguments);
    assert!(ran.status.success(), "{ran:?}");
    let printed: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let items = printed["items"].as_array().unwrap().iter();
    let vitals: Vec<&Value> = items.filter(|it| it["type"] == "vitals").collect();
    assert_eq!(vitals.len(), 2, "a phone and a desktop");
    for record in vitals {
        assert_eq!(record["source"], "lab");
        let lcp = record["metrics"]["lcp"]["value"].as_f64();
        assert!(lcp.is_some_and(|it| it > 0.0), "{record}");
    }
    assert_eq!(printed["summary"]["vitals"]["coverage"]["measured"], 2);
    let page = std::fs::read_to_string(report).unwrap();
    assert!(page.contains("<h2 id=\"speed\">Web vitals</h2>"), "{page}");
}

#[test]
fn hint_matches_the_cause_of_an_unreadable_site() {
    let folder = TempDir::new().unwrap();
    // The port is closed.
    let refusing = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let refusing = format!("http://{}/", refusing.unwrap());
    let open = [(
        "SIGHTLINE_CRAWLER__ALLOW_NETWORKS".to_owned(),
        "[\"127.0.0.0/8\"]".to_owned(),
    )];
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let no_tls = format!("https://{}/", plain.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut connection in plain.incoming().flatten() {
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        }
    });
    for (url, settings, words, others) in [
        (
            &*refusing,
            &open[..],
            "listens on this port",
            "allow_networks",
        ),
        (&*refusing, &[], "allow_networks", "listens on this port"),
        (
            "http://localhost:9/",
            &[],
            "allow_networks",
            "listens on this port",
        ),
        (
            "http://nowhere.example/",
            &open,
            "Check the spelling",
            "allow_networks",
        ),
        (&*no_tls, &open, "certificate", "allow_networks"),
    ] {
        let ran = command(folder.path(), settings, &["audit", url]).output();
        let ran = ran.unwrap();
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(words), "{url}: {stderr}");
        assert!(!stderr.contains(others), "{url}: {stderr}");
    }
}

#[test]
fn invalid_url_is_a_usage_error() {
    let folder = TempDir::new().unwrap();
    let ran = command(folder.path(), &[], &["audit", "ftp://example.com"]).output();
    assert_eq!(ran.unwrap().status.code(), Some(2));
}
