//! Which pages are rendered, and crawls without a browser.

use super::{
    fault_server::{Act, FaultServer},
    sites::{self, MemoryJournal},
    support::{Browsing, answer, failure, html, pages, site},
};
use analysis::observation::page_content::{PageContent, RenderFailure};
use domain::ports::site_reader::{CrawlPlan, Rendering, SiteReadError, SiteReader};
use std::{path::PathBuf, time::Duration};

async fn three_levels() -> FaultServer {
    let page = |links: &str| html(&format!("<title>x</title><h1>x</h1>{links}"));
    site(&[
        (
            "/",
            page("<a href=/gone>1</a><a href=/a>2</a><a href=/moved>3</a><a href=/b>4</a>"),
        ),
        ("/a", page("<a href=/c>5</a>")),
        (
            "/moved",
            answer(
                "301 Moved Permanently",
                "text/plain",
                "location: /m\r\n",
                "",
            ),
        ),
        ("/m", page("")),
        ("/b", page("")),
        ("/c", page("")),
    ])
    .await
}

/// Sorted paths of the pages that were rendered in a browser, failures included.
fn rendered_paths(pages: &[PageContent], server: &FaultServer) -> Vec<String> {
    let rendered = pages.iter().filter(|it| it.rendered.is_some());
    let mut paths: Vec<String> = rendered
        .map(|it| it.url.replace(&server.url(""), ""))
        .collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn only_the_first_pages_of_a_crawl_are_rendered() {
    let server = three_levels().await;
    let mut browsing = Browsing::new();
    browsing.pages = 3;
    let pages = browsing.read(&server, &MemoryJournal::default()).await;
    assert_eq!(pages.len(), 5);
    assert_eq!(rendered_paths(&pages, &server), ["/", "/a", "/m"]);
}

#[tokio::test]
async fn a_resumed_crawl_renders_the_same_pages_once() {
    let server = three_levels().await;
    let mut browsing = Browsing::new();
    browsing.pages = 4;
    let stopped = MemoryJournal {
        stop_at: Some(5),
        ..MemoryJournal::default()
    };
    let plan = CrawlPlan {
        render: Rendering::of(4),
        check_external: false,
        ..sites::plan(server.url("/"))
    };
    let reader = sites::reader(sites::settings()).with_browser(browsing.lab.clone());
    let read = reader.read(&plan, &stopped).await;
    assert!(matches!(read, Err(SiteReadError::Stopped)));
    let before = rendered_paths(&pages(&stopped), &server);
    assert!(!before.is_empty() && before.len() < 4, "{before:?}");
    let journal = MemoryJournal {
        steps: stopped.steps,
        ..MemoryJournal::default()
    };
    let pages = browsing.read(&server, &journal).await;
    assert_eq!(rendered_paths(&pages, &server), ["/", "/a", "/b", "/m"]);
    assert_eq!(server.count("/"), 2, "read once, shown once");
}

#[tokio::test]
async fn a_crawl_without_a_browser_reports_what_is_missing() {
    let server = three_levels().await;
    let mut browsing = Browsing::new();
    browsing.lab.browser = Some(PathBuf::from("/nonexistent/chromium"));
    let reader = sites::reader(sites::settings()).with_browser(browsing.lab.clone());
    let missing_browser = reader.missing_browser().unwrap();
    assert!(
        missing_browser.missing.contains("/nonexistent/chromium"),
        "{missing_browser}"
    );
    let pages = browsing.read(&server, &MemoryJournal::default()).await;
    assert!(pages.iter().all(|it| it.rendered.is_none()));
    // A program that starts but is not a browser is tried only a few times.
    browsing.lab.browser = Some(PathBuf::from("/bin/true"));
    let pages = browsing.read(&server, &MemoryJournal::default()).await;
    assert_eq!(pages.len(), 5);
    for page in pages {
        assert_eq!(failure(&page).0, RenderFailure::BrowserFailed);
    }
}

#[tokio::test]
async fn a_crawl_that_is_dropped_leaves_no_browser() {
    let waits = "<title>x</title><h1>x</h1><script src=/never.js></script>";
    let server = site(&[("/", html(waits)), ("/never.js", Act::Silence)]).await;
    let browsing = Browsing::new();
    let plan = CrawlPlan {
        render: Rendering::of(1),
        ..sites::plan(server.url("/"))
    };
    let reader = sites::reader(sites::settings()).with_browser(browsing.lab.clone());
    let journal = MemoryJournal::default();
    let reading = reader.read(&plan, &journal);
    let script_requested = async {
        while server.count("/never.js") == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::select! {
        read = reading => panic!("it ended by itself: {read:?}"),
        () = script_requested => assert!(!browsing.left_behind().is_empty()),
    }
    assert_eq!(browsing.finally_left().await, Vec::<String>::new());
}
