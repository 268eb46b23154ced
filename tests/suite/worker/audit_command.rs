//! `sightline audit`: one site, no account, no server.

use super::{
    process::command,
    website::{PAGES, Website},
};
use serde_json::Value;
use std::{collections::BTreeMap, process::Output};
use tempfile::TempDir;

fn audit(folder: &TempDir, site: &Website, more: &[&str]) -> Output {
    let set = |name: &str, value: &str| (format!("SIGHTLINE_CRAWLER__{name}"), value.to_owned());
    let settings = [
        set("ALLOW_NETWORKS", "[\"127.0.0.0/8\"]"),
        set("PER_HOST_DELAY_MS", "0"),
    ];
    let url = format!("http://{}/", site.address);
    let arguments = [&["audit", &url], more].concat();
    command(folder.path(), &settings, &arguments)
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_audit_is_told_as_json_and_as_a_page_that_needs_nothing_else() {
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
async fn findings_of_a_severity_end_an_audit_with_three() {
    let (folder, site) = (TempDir::new().unwrap(), Website::start());
    let ran = audit(&folder, &site, &["--fail-on", "error"]);
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    let told = String::from_utf8(ran.stdout).unwrap();
    for words in ["internalBroken", "health", "--html FILE"] {
        assert!(told.contains(words), "{words} in {told}");
    }
}

#[test]
fn an_address_that_is_none_is_wrong_usage() {
    let folder = TempDir::new().unwrap();
    let ran = command(folder.path(), &[], &["audit", "ftp://example.com"]).output();
    assert_eq!(ran.unwrap().status.code(), Some(2));
}
