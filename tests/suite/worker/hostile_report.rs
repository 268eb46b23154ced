//! A report of a site that sends terminal control sequences.

use super::{loopback::Loopback, process::command};
use actix_web::{HttpResponse, web};
use tempfile::TempDir;

const PAGE: &str = "<!doctype html><html lang=en><head><title>A \u{1b}]0;owned\u{7} page</title>\
    <meta name=description content='\u{1b}[2J'></head><body><h1>\u{1b}[31mA page</h1>\
    <p><a href='http://\u{1b}[2J.example/\u{9b}1;1H'>one</a> <a href='/gone\u{1b}[2J\u{202e}'>two</a>\
    <a href='mailto:\u{1b}[2J'>three</a> <a href='x\u{1b}y:\u{1b}[2J'>four</a>\
    <img src='http://[\u{1b}[2J'></p></body></html>";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_holds_no_control_characters() {
    let site = Loopback::start(|app| {
        app.route(
            "/",
            web::get().to(async || {
                HttpResponse::Ok()
                    .content_type("text/html; charset=utf-8")
                    .body(PAGE)
            }),
        );
    });
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("report.html");
    let set = |name: &str, value: &str| (format!("SIGHTLINE_CRAWLER__{name}"), value.to_owned());
    let settings = [
        set("ALLOW_NETWORKS", "[\"127.0.0.0/8\"]"),
        set("PER_HOST_DELAY_MS", "0"),
    ];
    let url = format!("http://{}/", site.address);
    let arguments = ["audit", &url, "--html", file.to_str().unwrap()];
    let ran = command(folder.path(), &settings, &arguments)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let report = std::fs::read_to_string(file).unwrap();
    let is_unfit = |it: &char| {
        it.is_control() && !matches!(it, '\n' | '\t') || matches!(it, '\u{202a}'..='\u{202e}')
    };
    let found: Vec<_> = report.match_indices(|it| is_unfit(&it)).collect();
    assert!(found.is_empty(), "{found:?}");
    assert!(report.contains("\\u{1b}"), "they are written out");
}
