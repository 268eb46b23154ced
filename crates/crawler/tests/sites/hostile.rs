//! Hostile or broken sites: each crawl ends in time, with findings.

use crate::fault_server::{
    Act, FaultServer, Site, answer, html, not_found, page_of_links, redirect,
};
use crate::support::{findings, read, verdicts};
use analysis::{
    findings::broken_links::Verdict,
    observation::web_site::{CheckState, LimitHit, Truncation},
};
use domain::ports::site_reader::{SiteReadError, UnreachableReason};
use flate2::{Compression, write::GzEncoder};
use std::{collections::BTreeMap, io::Write, time::Duration};

/// A site with links to these paths on its start page.
fn site(acts: Vec<(&str, Act)>) -> Site {
    let paths: Vec<&str> = acts.iter().map(|it| it.0).collect();
    let start = ("/", page_of_links(&paths));
    acts.into_iter()
        .chain([start])
        .map(|(path, act)| (path.to_owned(), act))
        .collect()
}

/// Verdicts of the start page's links.
async fn link_verdicts(acts: Vec<(&str, Act)>) -> BTreeMap<String, Verdict> {
    let server = FaultServer::start(site(acts), |_| not_found()).await;
    verdicts(&read(server.url("/")).await.unwrap())
}

fn expected(list: &[(&str, Verdict)]) -> BTreeMap<String, Verdict> {
    list.iter()
        .map(|(path, verdict)| ((*path).to_owned(), *verdict))
        .collect()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

const HTML: &str = "Content-Type: text/html\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn statuses_become_verdicts() {
    let found = link_verdicts(vec![
        ("/ok", html("fine")),
        ("/missing", not_found()),
        ("/gone", answer(410, "", "")),
        ("/teapot", answer(418, "", "")),
        ("/login", answer(401, "", "")),
        ("/wall", answer(403, "cf-mitigated: challenge\r\n", "")),
        ("/legal", answer(451, "", "")),
        ("/busy", answer(429, "Retry-After: 1\r\n", "")),
        ("/crash", answer(500, "", "")),
        (
            "/recovers",
            Act::Sequence(vec![answer(503, "", ""), html("again")]),
        ),
        ("/linkedin", answer(999, "", "")),
    ])
    .await;
    assert_eq!(
        found,
        expected(&[
            ("/missing", Verdict::NotFound),
            ("/gone", Verdict::Gone),
            ("/teapot", Verdict::ClientError),
            ("/login", Verdict::Unauthorized),
            ("/wall", Verdict::Unauthorized),
            ("/legal", Verdict::Unauthorized),
            ("/busy", Verdict::RateLimited),
            ("/crash", Verdict::ServerError),
            ("/linkedin", Verdict::Unauthorized),
        ])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_of_every_kind_get_a_verdict() {
    let server = FaultServer::start(Site::new(), |path| match path {
        "/" => page_of_links(&[
            "/loop-a",
            "/self",
            "/endless/0",
            "/once",
            "/twice",
            "/temporary",
            "/nowhere",
            "/to-mail",
            "/to-private",
            "/to-metadata",
            "/to-odd-port",
            "/empty",
            "/deep/old",
        ]),
        "/loop-a" => redirect(302, "/loop-b"),
        "/loop-b" => redirect(302, "/loop-a"),
        "/self" => redirect(301, "/self"),
        "/once" => redirect(301, "/page"),
        "/twice" => redirect(302, "/temporary"),
        "/temporary" => redirect(307, "/page"),
        "/page" => html("<p>here is the page"),
        "/nowhere" => redirect(302, "http://"),
        "/to-mail" => redirect(302, "mailto:a@example.com"),
        "/to-private" => redirect(302, "http://10.0.0.1/"),
        "/to-metadata" => redirect(302, "http://[::ffff:169.254.169.254]/latest/meta-data"),
        "/to-odd-port" => redirect(302, "http://2130706433.example.invalid:6379/"),
        "/empty" => answer(302, "", ""),
        "/deep/old" => redirect(301, "/"),
        _ => match path.strip_prefix("/endless/") {
            Some(number) => redirect(
                302,
                &format!("/endless/{}", number.parse::<u32>().unwrap() + 1),
            ),
            None => not_found(),
        },
    })
    .await;
    let found = verdicts(&read(server.url("/")).await.unwrap());
    assert_eq!(
        found,
        expected(&[
            ("/loop-a", Verdict::RedirectLoop),
            ("/self", Verdict::RedirectLoop),
            ("/endless/0", Verdict::TooManyRedirects),
            ("/once", Verdict::RedirectPermanent),
            ("/twice", Verdict::RedirectChain),
            ("/nowhere", Verdict::InvalidUrl),
            ("/to-mail", Verdict::InvalidUrl),
            ("/to-private", Verdict::ConnectError),
            ("/to-metadata", Verdict::ConnectError),
            ("/to-odd-port", Verdict::DnsError),
            ("/empty", Verdict::InvalidUrl),
            ("/deep/old", Verdict::RedirectToHome),
        ])
    );
    assert_eq!(server.count("/endless/10"), 1);
    assert_eq!(server.count("/endless/11"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_address_looks_like_an_unreachable_host() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let refused = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let server = FaultServer::start(
        site(vec![
            ("/to-private", redirect(302, "http://192.168.0.1/")),
            ("/to-refused", redirect(302, &refused)),
        ]),
        |_| not_found(),
    )
    .await;
    let records = findings(&read(server.url("/")).await.unwrap()).records;
    let failures: Vec<_> = records
        .iter()
        .map(|it| (it.verdict, it.error_detail.as_deref(), it.status_code))
        .collect();
    assert_eq!(
        failures,
        [(Verdict::ConnectError, Some("unreachable"), None); 2]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_encryption_is_a_tls_error() {
    let plain = FaultServer::start(Site::new(), |_| html("x")).await;
    let encrypted = plain.url("/").replace("http:", "https:");
    let found = link_verdicts(vec![("/to-tls", redirect(302, &encrypted))]).await;
    assert_eq!(found, expected(&[("/to-tls", Verdict::TlsError)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_silent_and_broken_responses_become_verdicts() {
    let slow =
        b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n".to_vec();
    let mut dripping = slow.clone();
    dripping.extend(vec![b'x'; 1000]);
    let chunked =
        b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"
            .to_vec();
    let short =
        b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\nContent-Length: 500\r\n\r\nshort".to_vec();
    let found = link_verdicts(vec![
        ("/silence", Act::Silence),
        ("/drip", Act::Drip(dripping, Duration::from_millis(20))),
        ("/reset", Act::Reset),
        ("/chunks", Act::Raw(chunked)),
        ("/short", Act::Raw(short)),
        (
            "/not-http",
            Act::Raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n".to_vec()),
        ),
        ("/nothing", Act::Raw(Vec::new())),
    ])
    .await;
    assert_eq!(
        found,
        expected(&[
            ("/silence", Verdict::Timeout),
            ("/drip", Verdict::Timeout),
            ("/reset", Verdict::ConnectError),
            ("/chunks", Verdict::ConnectError),
            ("/short", Verdict::ConnectError),
            ("/not-http", Verdict::ConnectError),
            ("/nothing", Verdict::ConnectError),
        ])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_responses_are_cut_or_refused() {
    let long = "y".repeat(1_000);
    let large: Vec<String> = (0..90).map(|it| format!("X-{it}: {long}\r\n")).collect();
    let many: Vec<String> = (0..500).map(|it| format!("X-{it}: y\r\n")).collect();
    let (headers, many) = (HTML.to_owned() + &large.concat(), many.concat());
    let start = b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\n\r\n<p>".to_vec();
    let huge =
        b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\nContent-Length: 10000000000\r\n\r\n<p>"
            .to_vec();
    let bomb = gzipped(&vec![b' '; 50_000_000]);
    let double = gzipped(&gzipped(b"<p>x"));
    let acts = vec![
        (
            "/endless",
            Act::Forever(start, b"<a href=/missing>x</a>".repeat(1_000)),
        ),
        (
            "/ten-gigabytes",
            Act::Forever(huge, b"<b>x</b>".repeat(1_000)),
        ),
        ("/large-headers", answer(200, &headers, "")),
        ("/many-headers", answer(200, &many, "")),
        (
            "/bomb",
            answer(200, &format!("{HTML}Content-Encoding: gzip\r\n"), &bomb),
        ),
        (
            "/cut-gzip",
            answer(
                200,
                &format!("{HTML}Content-Encoding: gzip\r\n"),
                &gzipped(&[b'x'; 999])[..20],
            ),
        ),
        (
            "/no-gzip",
            answer(200, &format!("{HTML}Content-Encoding: gzip\r\n"), "plain"),
        ),
        (
            "/double",
            answer(
                200,
                &format!("{HTML}Content-Encoding: gzip, gzip\r\n"),
                &double,
            ),
        ),
        (
            "/brotli",
            answer(200, &format!("{HTML}Content-Encoding: br\r\n"), "x"),
        ),
        (
            "/gzip",
            answer(
                200,
                &format!("{HTML}Content-Encoding: gzip\r\n"),
                gzipped(b"<title>packed</title>"),
            ),
        ),
    ];
    let server = FaultServer::start(site(acts), |_| not_found()).await;
    let site = read(server.url("/")).await.unwrap();
    assert_eq!(
        verdicts(&site),
        expected(&[
            ("/missing", Verdict::NotFound),
            ("/large-headers", Verdict::ConnectError),
            ("/many-headers", Verdict::ConnectError),
            ("/cut-gzip", Verdict::ServerError),
            ("/no-gzip", Verdict::ServerError),
        ])
    );
    let cut = site
        .pages
        .iter()
        .filter(|it| it.fetched.truncation == Truncation::AtLimit)
        .count();
    assert_eq!(cut, 2);
    assert!(site.pages.iter().any(|it| it.title() == Some("packed")));
    let broken = findings(&site)
        .records
        .into_iter()
        .find(|it| it.target_url.ends_with("/no-gzip"))
        .unwrap();
    assert_eq!(
        (broken.status_code, broken.error_detail.as_deref()),
        (Some(200), Some("undecodableBody"))
    );
    // A target that answered but was not read is reported with its reason.
    let reason = |path: &str| {
        let mut checks = site.site.checks.iter();
        let check = checks.find(|it| it.url.ends_with(path)).unwrap();
        match &check.state {
            CheckState::Requested { fetched, .. } => (fetched.status, fetched.unread_body()),
            CheckState::BlockedByRobots => (None, None),
        }
    };
    assert_eq!(reason("/bomb"), (Some(200), Some("decompressionBomb")));
    assert_eq!(reason("/double"), (Some(200), Some("contentEncoding")));
    assert_eq!(reason("/brotli"), (Some(200), Some("contentEncoding")));
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_text_is_read_as_far_as_possible() {
    let body =
        b"<title>\xff\xfe bad \xc3</title><a href=\"/caf\xe9\">x</a><a href=/fine>y</a>\0<a hre";
    let server = FaultServer::start(
        site(vec![
            ("/bytes", answer(200, HTML, body)),
            ("/fine", html("x")),
        ]),
        |_| not_found(),
    )
    .await;
    let site = read(server.url("/")).await.unwrap();
    let page = site
        .pages
        .iter()
        .find(|it| it.url.ends_with("/bytes"))
        .unwrap();
    assert_eq!(page.title(), Some("\u{fffd}\u{fffd} bad \u{fffd}"));
    assert_eq!(page.links.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_calendar_ends_at_the_limits() {
    let server = FaultServer::start(Site::new(), |path| {
        let number: u32 = path
            .rsplit('/')
            .next()
            .and_then(|it| it.parse().ok())
            .unwrap_or(0);
        match path {
            "/" => page_of_links(&["/day/0", "/x/"]),
            _ if path.starts_with("/day/") => page_of_links(&[
                &format!("/day/{}", number + 1),
                &format!("/day/{}", number + 2),
            ]),
            _ if path.starts_with("/x/") => page_of_links(&["x/", "y/"]),
            _ => not_found(),
        }
    })
    .await;
    let site = read(server.url("/")).await.unwrap();
    assert!(site.pages.len() <= 50);
    assert!(
        site.site.limits.contains(&LimitHit::MaxDepth)
            || site.site.limits.contains(&LimitHit::MaxPages),
        "{:?}",
        site.site.limits
    );
    assert!(
        site.site.limits.contains(&LimitHit::RepeatedSegments),
        "{:?}",
        site.site.limits
    );
    assert!(findings(&site).summary.broken_rate_high.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_answers_everything_has_soft_404s() {
    let article = |number: u32| {
        let words: Vec<String> = (0..200).map(|it| format!("word{number}x{it} ")).collect();
        words.concat()
    };
    let sorry = "We looked everywhere and found nothing at all under this address, please try the search or go back to where you came from";
    let pages = vec![
        ("/docs/a", html(&article(1))),
        ("/docs/b", html(&article(2))),
        ("/docs/lost", html(sorry)),
    ];
    let server = FaultServer::start(site(pages), move |path| {
        if path.starts_with("/docs/") {
            html(sorry)
        } else {
            not_found()
        }
    })
    .await;
    assert_eq!(
        verdicts(&read(server.url("/")).await.unwrap()),
        expected(&[("/docs/lost", Verdict::Soft404)])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unavailable_robots_txt_forbids_and_a_missing_one_allows() {
    let with = |robots: Act| site(vec![("/robots.txt", robots), ("/private", html("x"))]);
    for (robots, allowed) in [
        (answer(500, "", ""), false),
        (answer(429, "", ""), false),
        (Act::Silence, false),
        (answer(404, "", ""), true),
        (answer(403, "", ""), true),
        (redirect(301, "/robots.txt"), true),
        (answer(200, "", "User-agent: *\nDisallow: /"), false),
        (answer(200, "", [0xff, 0xfe, 0x00]), true),
        (redirect(302, "/other-robots"), true),
    ] {
        let server = FaultServer::start(with(robots), |_| not_found()).await;
        let outcome = read(server.url("/")).await;
        let refused = matches!(
            outcome,
            Err(SiteReadError::DisallowedByRobots | SiteReadError::RobotsUnavailable)
        );
        assert_eq!(!refused, allowed, "{outcome:?}");
        assert_eq!(server.count("/private") > 0, allowed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_and_refusing_hosts_are_distinguished() {
    // The kernel accepts the connection, and no one answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent_at = silent.local_addr().unwrap();
    let gone = FaultServer::start(site(vec![]), |_| not_found()).await;
    let refusing = gone.address;
    drop(gone);
    for (url, reason) in [
        (format!("https://{silent_at}/"), UnreachableReason::Silence),
        (format!("http://{refusing}/"), UnreachableReason::Connection),
    ] {
        let outcome = read(url).await;
        assert!(
            matches!(outcome, Err(SiteReadError::Unreachable(it)) if it == reason),
            "{outcome:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_are_obeyed_for_pages_checks_and_redirects() {
    let robots = answer(
        200,
        "",
        "User-agent: sightlinebot\nDisallow: /private\nUser-agent: *\nDisallow: /\n",
    );
    let pages = vec![
        ("/robots.txt", robots),
        ("/private/a", html("x")),
        ("/to-private", redirect(302, "/private/b")),
        ("/open", html("<img src=/private/i.png>")),
    ];
    let server = FaultServer::start(site(pages), |_| not_found()).await;
    let site = read(server.url("/")).await.unwrap();
    assert_eq!(verdicts(&site), BTreeMap::new());
    for path in ["/private/a", "/private/b", "/private/i.png"] {
        assert_eq!(server.count(path), 0, "{path}");
    }
    assert_eq!(findings(&site).summary.not_checked, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_without_a_start_page_fails() {
    for (act, expected_reason) in [
        (answer(404, HTML, "gone"), "answers 404"),
        (answer(500, HTML, "broken"), "answers 500"),
        (answer(204, "", ""), "answers 204 without content"),
        (answer(200, "", ""), "answers 200 without content"),
        (redirect(302, "/"), "failed"),
        (
            answer(200, "Content-Type: text/plain\r\n", "x"),
            "not an HTML page",
        ),
        (redirect(302, "http://elsewhere.invalid/"), "failed"),
    ] {
        let site = [("/".to_owned(), act)].into();
        let server = FaultServer::start(site, |_| not_found()).await;
        match read(server.url("/")).await {
            Err(SiteReadError::NoPage(reason)) => {
                assert!(reason.contains(expected_reason), "{reason}");
            }
            other => panic!("{expected_reason}: {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_retry_after_is_not_retried() {
    let busy = answer(429, "Retry-After: 100000\r\n", "");
    let server = FaultServer::start(site(vec![("/busy", busy)]), |_| not_found()).await;
    let found = verdicts(&read(server.url("/")).await.unwrap());
    assert_eq!(found, expected(&[("/busy", Verdict::RateLimited)]));
    assert_eq!(server.count("/busy"), 1);
}
