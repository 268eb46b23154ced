//! Hostile pages: each ends in a state, and the next one is rendered.

use super::support::{Browsing, answer, failure, html, pages, prose, shown, site};
use super::{fault_server::Act, sites::MemoryJournal};
use analysis::observation::page_content::RenderFailure;
use std::time::Duration;
use tokio::net::TcpListener;

/// A home page that links to others, which are rendered after it.
fn home(paths: &[&str]) -> Act {
    let links: Vec<String> = paths
        .iter()
        .map(|it| format!("<a href={it}>{it}</a>"))
        .collect();
    let links = links.join(" ");
    html(&format!("<title>Home</title><h1>Home</h1>{links}"))
}

#[tokio::test]
#[ignore = "slow: waits until a page has taken too long"]
async fn hostile_pages_end_with_a_render_failure() {
    let mut browsing = Browsing::new();
    browsing.lab.render_limit = Duration::from_secs(6);
    let endless = "<title>x</title><h1>Stuck</h1><script>while (true);</script>";
    let later = "<title>x</title><h1>Stuck later</h1><script>addEventListener('load', () => setTimeout(() => { while (true); }, 200))</script>";
    let dialogs = r#"<title>x</title><h1>Asks</h1><script>
        alert("answer me"); confirm("really?"); prompt("how?"); onbeforeunload = () => "stay";
        document.querySelector("h1").textContent = "Asked"; window.open("/popup"); print();
    </script>"#;
    let restless = "<title>x</title><h1>Restless</h1><script>setInterval(() => fetch('/poll').catch(() => {}), 200); setInterval(() => history.pushState({}, '', '?' + Math.random()), 200)</script>";
    let huge = "<title>x</title><h1>Huge</h1><script>const p = document.createDocumentFragment(); for (let i = 0; i < 300000; i++) p.append(document.createElement('i')); document.body.append(p)</script>";
    let long =
        "<title>x</title><h1>Long</h1><script>document.body.append('x'.repeat(20 << 20))</script>";
    let clobbered = "<title>x</title><form name=documentElement></form><form name=getElementsByTagName></form><form name=doctype></form><h1>Hidden</h1><script>Element.prototype.remove = null; document.querySelector('h1').textContent = 'Seen \\ud800'</script>";
    let server = site(&[
        (
            "/",
            home(&[
                "/endless",
                "/later",
                "/asks",
                "/restless",
                "/huge",
                "/long",
                "/clobbered",
                "/last",
            ]),
        ),
        ("/endless", html(endless)),
        ("/later", html(later)),
        ("/asks", html(dialogs)),
        ("/restless", html(restless)),
        ("/huge", html(huge)),
        ("/long", html(long)),
        ("/clobbered", html(clobbered)),
        ("/last", html("<title>x</title><h1>Last</h1>")),
    ])
    .await;
    let pages = browsing.read(&server, &MemoryJournal::default()).await;
    let page = |path: &str| {
        let url = server.url(path);
        pages.iter().find(|it| it.url == url).unwrap()
    };
    assert_eq!(failure(page("/endless")).0, RenderFailure::TimedOut);
    assert_eq!(failure(page("/later")).0, RenderFailure::TimedOut);
    let after_dialogs = shown(page("/asks"));
    assert_eq!(
        (after_dialogs.heading.as_deref(), after_dialogs.settled),
        (Some("Asked"), true)
    );
    let restless = shown(page("/restless"));
    assert_eq!(
        (restless.heading.as_deref(), restless.settled),
        (Some("Restless"), false)
    );
    for path in ["/huge", "/long"] {
        // A slow machine may time out first.
        let ends = [RenderFailure::TooHeavy, RenderFailure::TimedOut];
        assert!(ends.contains(&failure(page(path)).0), "{path}");
    }
    assert_eq!(
        shown(page("/clobbered")).heading.as_deref(),
        Some("Seen \u{fffd}")
    );
    assert_eq!(shown(page("/last")).heading.as_deref(), Some("Last"));
    assert_eq!(server.count("/popup"), 0);
}

#[tokio::test]
async fn scripts_cannot_reach_private_addresses() {
    let forbidden = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let place = forbidden.local_addr().unwrap();
    let page = format!(
        r#"<title>x</title><h1>Hostile</h1><iframe src="http://{place}/frame"></iframe><script>
          fetch("http://{place}/fetch", {{ mode: "no-cors" }}).catch(() => {{ document.querySelector("h1").textContent = "Refused"; }});
          navigator.sendBeacon("http://{place}/beacon", "x");
          new WebSocket("ws://{place}/socket");
          new EventSource("http://{place}/events");
          window.open("http://{place}/popup");
        </script>"#
    );
    let server = site(&[("/", html(&page))]).await;
    let page = Browsing::new().page(&server, "/").await;
    assert_eq!(shown(&page).heading.as_deref(), Some("Refused"));
    let now = Duration::from_millis(1);
    assert!(tokio::time::timeout(now, forbidden.accept()).await.is_err());
}

#[tokio::test]
async fn navigation_to_another_page_is_blocked() {
    let forbidden = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let away = format!("http://{}/", forbidden.local_addr().unwrap());
    let to = |address: &str| {
        html(&format!(
            "<title>x</title><h1>Leads on</h1><script>location.replace('{address}')</script>"
        ))
    };
    let robots = "User-agent: *\nDisallow: /secret\n";
    // The second request is the browser's.
    let redirecting = Act::Sequence(vec![
        html("<title>x</title><h1>Once</h1>"),
        answer("302 Found", "text/plain", "location: /secret\r\n", ""),
    ]);
    let failing = Act::Sequence(vec![
        html("<title>x</title><h1>Once</h1>"),
        answer("503 Service Unavailable", "text/html", "", "<h1>Later</h1>"),
    ]);
    let file = Act::Sequence(vec![
        html("<title>x</title><h1>Once</h1>"),
        answer("200 OK", "application/zip", "", "PK"),
    ]);
    let server = site(&[
        ("/robots.txt", answer("200 OK", "text/plain", "", robots)),
        (
            "/",
            home(&[
                "/on", "/away", "/turns", "/failing", "/file", "/silent", "/last",
            ]),
        ),
        ("/on", to("/secret")),
        ("/away", to(&away)),
        ("/turns", redirecting),
        ("/failing", failing),
        ("/file", file),
        (
            "/silent",
            Act::Sequence(vec![html("<title>x</title><h1>Once</h1>"), Act::Silence]),
        ),
        ("/secret", html("<title>x</title><h1>Secret</h1>")),
        ("/last", html("<title>x</title><h1>Last</h1>")),
    ])
    .await;
    let mut browsing = Browsing::new();
    browsing.lab.render_limit = Duration::from_secs(4);
    let pages = browsing.read(&server, &MemoryJournal::default()).await;
    let of = |path: &str| {
        let url = server.url(path);
        failure(pages.iter().find(|it| it.url == url).unwrap())
    };
    let led = |to: String| (RenderFailure::LedElsewhere, Some(to));
    assert_eq!(of("/on"), led(server.url("/secret")));
    assert_eq!(of("/away"), led(away));
    assert_eq!(of("/turns"), led(server.url("/secret")));
    assert_eq!(
        of("/failing"),
        (RenderFailure::Status, Some("503".to_owned()))
    );
    assert_eq!(of("/file").0, RenderFailure::NotHtml);
    assert_eq!(of("/silent").0, RenderFailure::TimedOut);
    let last = server.url("/last");
    let last = pages.iter().find(|it| it.url == last).unwrap();
    assert_eq!(shown(last).heading.as_deref(), Some("Last"));
    assert_eq!(server.count("/secret"), 0, "robots.txt forbids it");
    let now = Duration::from_millis(1);
    assert!(tokio::time::timeout(now, forbidden.accept()).await.is_err());
}

#[tokio::test]
async fn the_browser_is_replaced_after_exceeding_a_limit() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n".to_vec();
    let page =
        "<title>x</title><h1>Heavy</h1><script>fetch('/flood').then((it) => it.text())</script>";
    let server = site(&[
        ("/", home(&["/heavy", "/last"])),
        ("/heavy", html(page)),
        ("/flood", Act::Forever(head, vec![b'x'; 60_000])),
        (
            "/last",
            html(&format!("<title>x</title><h1>Last</h1><p>{}", prose(3))),
        ),
    ])
    .await;
    let mut browsing = Browsing::new();
    browsing.lab.traffic_limit = 2_000_000;
    let journal = MemoryJournal::default();
    browsing.read(&server, &journal).await;
    let pages = pages(&journal);
    let of = |path: &str| pages.iter().find(|it| it.url == server.url(path)).unwrap();
    assert_eq!(failure(of("/heavy")).0, RenderFailure::TooHeavy);
    assert_eq!(shown(of("/last")).heading.as_deref(), Some("Last"));
}
