//! Well-behaved sites: requests, politeness, and resuming.

use crate::fault_server::{
    Act, FaultServer, Site, answer, html, not_found, page_of_links, redirect,
};
use crate::support::{
    MemoryJournal, crawl, findings, plan, quick_limits, read, settings, verdicts,
};
use analysis::{
    findings::broken_links::{Confirmation, Verdict},
    observation::web_site::{CrawlStep, LimitHit, LlmsTxtFact},
};
use crawler::{CrawlerSettings, FetchLimits, Resolve};
use domain::ports::site_reader::{CrawlPhase, CrawlPlan, CrawlStart, SiteReadError};
use std::time::{Duration, Instant};

fn library() -> Site {
    let mut site = Site::new();
    let names: Vec<String> = (0..20).map(|it| format!("/page{it}.html")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    site.insert("/".to_owned(), page_of_links(&all));
    for (number, name) in names.iter().enumerate() {
        let next = format!("/page{}.html#there", (number + 1) % 20);
        let lost = format!("/lost{number}.png");
        site.insert(name.clone(), html(&format!("<title>Page {number}</title><p id=here>text {number}<a href=\"{next}\">n</a><img src=\"{lost}\">")));
    }
    site
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_crawl_finds_the_same() {
    let whole_server = FaultServer::start(library(), |_| not_found()).await;
    let whole = findings(&read(whole_server.url("/")).await.unwrap());
    assert_eq!(whole.records.len(), 40);
    let server = FaultServer::start(library(), |_| not_found()).await;
    let (plan, mut journal, mut stops) = (plan(server.url("/")), MemoryJournal::default(), 0);
    let site = loop {
        let recorded = journal.steps.lock().unwrap().len();
        journal.stop_at = Some(recorded + 7);
        match crawl(settings(), &plan, &journal).await {
            Ok(site) => break site,
            Err(SiteReadError::Stopped) => stops += 1,
            Err(error) => panic!("{error}"),
        }
    };
    assert!(stops >= 3, "{stops}");
    let resumed = findings(&site);
    let strip = |records: &[analysis::findings::broken_links::BrokenLink],
                 at: &FaultServer|
     -> Vec<String> {
        records
            .iter()
            .map(|it| {
                serde_json::to_string(it)
                    .unwrap()
                    .replace(&at.address.to_string(), "host")
            })
            .collect()
    };
    assert_eq!(
        strip(&resumed.records, &server),
        strip(&whole.records, &whole_server)
    );
    let summary = |found: &analysis::findings::broken_links::BrokenLinks| {
        serde_json::to_value(&found.summary).unwrap()
    };
    assert_eq!(summary(&resumed), summary(&whole));
    // Requests in flight at the stop may be repeated; recorded ones are not.
    assert!(
        server.total() <= whole_server.total() + stops * 8,
        "{} of {}",
        server.total(),
        whole_server.total()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_crawl_sends_no_requests() {
    let server = FaultServer::start(library(), |_| not_found()).await;
    let (plan, journal) = (plan(server.url("/")), MemoryJournal::default());
    let first = crawl(settings(), &plan, &journal).await.unwrap();
    let requests = server.total();
    let second = crawl(settings(), &plan, &journal).await.unwrap();
    assert_eq!(server.total(), requests);
    assert_eq!(findings(&first), findings(&second));
    let progress = *journal.progress.lock().unwrap().last().unwrap();
    assert_eq!((progress.pages.done, progress.checks.done), (21, 20));
    assert_eq!(progress.phase, CrawlPhase::Over);
    // A URL that is not a page is not expected anymore.
    assert_eq!((progress.pages.total, progress.checks.total), (21, 20));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_limit_does_not_depend_on_response_order() {
    let mut chosen = Vec::new();
    for slow in [3, 7] {
        let mut site = library();
        let name = format!("/page{slow}.html");
        let Some(Act::Raw(bytes)) = site.remove(&name) else {
            panic!("a page")
        };
        site.insert(name, Act::Drip(bytes, Duration::from_micros(500)));
        let server = FaultServer::start(site, |_| not_found()).await;
        let plan = CrawlPlan {
            max_pages: 9,
            ..plan(server.url("/"))
        };
        // A page that times out would be replaced by another.
        let patient = CrawlerSettings {
            limits: FetchLimits {
                first_byte: Duration::from_mins(1),
                total: Duration::from_mins(1),
                url_timeout: Duration::from_mins(1),
                ..quick_limits()
            },
            ..settings()
        };
        let read = crawl(patient, &plan, &MemoryJournal::default())
            .await
            .unwrap();
        assert!(read.site.limits.contains(&LimitHit::MaxPages));
        chosen.push(
            read.pages
                .iter()
                .map(|it| it.url.replace(&server.address.to_string(), ""))
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(chosen[0].len(), 9);
    assert_eq!(chosen[0], chosen[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_resolve_map_serves_a_domain_from_loopback() {
    let server = FaultServer::start(
        [
            (
                "/".to_owned(),
                page_of_links(&[
                    "http://www.docs.example.com/b",
                    "//other.example.com:8080/c",
                ]),
            ),
            ("/b".to_owned(), html("b")),
        ]
        .into(),
        |_| not_found(),
    )
    .await;
    let given = |host: &str, port| Resolve {
        host: host.to_owned(),
        port,
        address: server.address,
    };
    let settings = CrawlerSettings {
        allow_networks: Vec::new(),
        resolve: vec![
            given("docs.example.com", 80),
            given("www.docs.example.com", 80),
            given("other.example.com", 8080),
        ],
        ..settings()
    };
    // https is tried first and fails without a map entry.
    let plan = CrawlPlan {
        start: CrawlStart::Host("docs.example.com".to_owned()),
        ..plan(String::new())
    };
    let site = crawl(settings, &plan, &MemoryJournal::default())
        .await
        .unwrap();
    assert_eq!(site.site.start, "http://docs.example.com/");
    assert_eq!(site.pages.len(), 2);
    let records = findings(&site).records;
    assert_eq!(
        records
            .iter()
            .map(|it| (it.target_url.as_str(), it.verdict, it.confirmation))
            .collect::<Vec<_>>(),
        [(
            "http://other.example.com:8080/c",
            Verdict::NotFound,
            Confirmation::Suspect
        )]
    );
    let hosts: Vec<String> = server
        .heads()
        .iter()
        .filter_map(|it| {
            Some(
                it.to_ascii_lowercase()
                    .split("host: ")
                    .nth(1)?
                    .split("\r\n")
                    .next()?
                    .to_owned(),
            )
        })
        .collect();
    assert!(
        hosts.contains(&"docs.example.com".to_owned())
            && hosts.contains(&"other.example.com:8080".to_owned()),
        "{hosts:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn loopback_is_denied_unless_allowed() {
    let server = FaultServer::start(library(), |_| not_found()).await;
    let closed = CrawlerSettings {
        allow_networks: Vec::new(),
        ..settings()
    };
    for url in [
        server.url("/"),
        format!("http://localhost:{}/", server.address.port()),
    ] {
        let outcome = crawl(closed.clone(), &plan(url), &MemoryJournal::default()).await;
        assert!(
            matches!(outcome, Err(SiteReadError::Unreachable(_))),
            "{outcome:?}"
        );
    }
    assert_eq!(server.total(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn external_links_use_head_and_confirm_failures_by_get() {
    let other = FaultServer::start(
        [
            ("/fine".to_owned(), html("x")),
            ("/page".to_owned(), html("<p id=there>")),
        ]
        .into(),
        |_| not_found(),
    )
    .await;
    let links = [
        other.url("/fine"),
        other.url("/lost"),
        other.url("/page#there"),
        other.url("/page#missing"),
    ];
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let server = FaultServer::start([("/".to_owned(), page_of_links(&links))].into(), |_| {
        not_found()
    })
    .await;
    // 127.0.0.1 with another port is another site, but links to loopback are not checked.
    let site = read(server.url("/")).await.unwrap();
    assert!(
        verdicts(&site)
            .values()
            .all(|it| *it == Verdict::LocalhostLink)
    );
    assert_eq!(other.total(), 0);
    // Under a name it counts as another host.
    let port = other.address.port();
    let links: Vec<String> = links
        .iter()
        .map(|it| it.replace("127.0.0.1", "other.example.com"))
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let server = FaultServer::start([("/".to_owned(), page_of_links(&links))].into(), |_| {
        not_found()
    })
    .await;
    let settings = CrawlerSettings {
        resolve: vec![Resolve {
            host: "other.example.com".to_owned(),
            port,
            address: other.address,
        }],
        ..settings()
    };
    let site = crawl(settings, &plan(server.url("/")), &MemoryJournal::default())
        .await
        .unwrap();
    let found = verdicts(&site);
    assert_eq!(
        found.values().copied().collect::<Vec<_>>(),
        [Verdict::NotFound, Verdict::MissingFragment],
        "{found:?}"
    );
    let heads: Vec<String> = other
        .heads()
        .iter()
        .map(|it| it.split(" HTTP").next().unwrap().to_owned())
        .collect();
    for wanted in [
        "GET /robots.txt",
        "HEAD /fine",
        "HEAD /lost",
        "GET /lost",
        "GET /page",
    ] {
        assert!(heads.iter().any(|it| it == wanted), "{wanted} in {heads:?}");
    }
    assert!(!heads.iter().any(|it| it == "GET /fine"));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_have_our_user_agent_and_no_cookies() {
    let site = [(
        "/".to_owned(),
        answer(
            200,
            "Content-Type: text/html\r\nSet-Cookie: a=b\r\n",
            "<a href=/x>x</a>",
        ),
    )]
    .into();
    let server = FaultServer::start(site, |_| not_found()).await;
    read(server.url("/")).await.unwrap();
    for head in server.heads() {
        let head = head.to_ascii_lowercase();
        assert!(
            head.contains("user-agent: mozilla/5.0 (compatible; sightlinebot/"),
            "{head}"
        );
        assert!(
            !head.contains("cookie")
                && !head.contains("referer")
                && !head.contains("authorization"),
            "{head}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_crawl_delay_is_kept() {
    let mut site = Site::new();
    site.insert(
        "/robots.txt".to_owned(),
        answer(200, "", "User-agent: *\nCrawl-delay: 0.1"),
    );
    site.insert("/".to_owned(), page_of_links(&["/a", "/b", "/c"]));
    let server = FaultServer::start(site, |_| html("x")).await;
    let begun = Instant::now();
    read(server.url("/")).await.unwrap();
    let min_time = Duration::from_millis(100) * (server.total() - 2);
    assert!(
        begun.elapsed() >= min_time,
        "{:?} for {} requests",
        begun.elapsed(),
        server.total()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_has_all_phases_and_drops_missing_pages() {
    const GONE: u64 = 9;
    let gone: Vec<String> = (0..GONE).map(|it| format!("/gone{it}")).collect();
    let mut links: Vec<&str> = gone.iter().map(String::as_str).collect();
    links.push("/there");
    let mut site = Site::new();
    site.insert("/".to_owned(), page_of_links(&links));
    site.insert("/there".to_owned(), html("<img src=/x.png>"));
    let server = FaultServer::start(site, |_| not_found()).await;
    let slow = CrawlerSettings {
        connections_per_host: 1,
        ..settings()
    };
    let (plan, journal) = (plan(server.url("/")), MemoryJournal::default());
    crawl(slow, &plan, &journal).await.unwrap();
    let progress = journal.progress.lock().unwrap();
    assert!(progress.is_sorted_by_key(|it| it.phase));
    for phase in CrawlPhase::ALL {
        assert!(progress.iter().any(|it| it.phase == phase), "{phase:?}");
    }
    let reading = progress.iter().filter(|it| it.phase == CrawlPhase::Pages);
    for it in reading {
        assert!(it.pages.total <= 2 + GONE - it.checks.done, "{it:?}");
    }
    let over = progress.last().unwrap();
    for phase in CrawlPhase::ALL {
        let count = over.of(phase);
        assert_eq!(count.done, count.total, "{phase:?}");
    }
    assert_eq!((over.sitemaps.total, over.pages.total), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capped_crawl_delay_is_reported() {
    let robots = "User-agent: *\nDisallow: /private\nCrawl-delay: 100000\n";
    let mut site = Site::new();
    site.insert("/robots.txt".to_owned(), answer(200, "", robots));
    site.insert("/".to_owned(), html("x"));
    let server = FaultServer::start(site, |_| not_found()).await;
    // The limit is recorded before the first pause.
    let (plan, journal) = (plan(server.url("/")), MemoryJournal::default());
    let reading = crawl(settings(), &plan, &journal);
    let _ = tokio::time::timeout(Duration::from_secs(1), reading).await;
    let limit_step = CrawlStep::Limit(LimitHit::CrawlDelay);
    assert!(journal.steps.lock().unwrap().contains(&limit_step));
}

#[tokio::test(flavor = "multi_thread")]
async fn sitemaps_lead_to_unlinked_pages() {
    let mut site = Site::new();
    site.insert(
        "/robots.txt".to_owned(),
        answer(200, "", "Sitemap: /index.xml"),
    );
    site.insert(
        "/index.xml".to_owned(),
        answer(
            200,
            "",
            "<sitemapindex><sitemap><loc>/map.xml</loc></sitemap></sitemapindex>",
        ),
    );
    site.insert("/".to_owned(), page_of_links(&["/linked"]));
    site.insert("/linked".to_owned(), html("x"));
    let server = FaultServer::start(Site::new(), move |path| match path {
        "/map.xml" => answer(200, "", "<urlset><url><loc>/island</loc></url><url><loc>https://elsewhere.example/</loc></url></urlset>"),
        "/island" => html("<a href=/gone>x</a>"),
        _ => site.get(path).cloned().unwrap_or_else(not_found),
    }).await;
    let read = read(server.url("/")).await.unwrap();
    assert_eq!(read.pages.len(), 3);
    assert_eq!(
        verdicts(&read).into_iter().collect::<Vec<_>>(),
        [("/gone".to_owned(), Verdict::NotFound)]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_targets_are_read_once_with_their_fragments() {
    let site = [
        (
            "/".to_owned(),
            page_of_links(&["/old#part", "/old#nothing", "/older"]),
        ),
        ("/old".to_owned(), redirect(302, "/new")),
        ("/older".to_owned(), redirect(302, "/new")),
        ("/new".to_owned(), html("<p id=part>x<a href=/lost>y</a>")),
    ];
    let server = FaultServer::start(site.into(), |_| not_found()).await;
    let read = read(server.url("/")).await.unwrap();
    assert_eq!(read.pages.len(), 2);
    let found: Vec<_> = verdicts(&read).into_iter().collect();
    assert_eq!(
        found,
        [
            ("/lost".to_owned(), Verdict::NotFound),
            ("/old#nothing".to_owned(), Verdict::MissingFragment)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_hosts_are_requested_once_for_robots_txt() {
    let silent = FaultServer::start(Site::new(), |_| Act::Silence).await;
    let port = silent.address.port();
    let links = [
        format!("http://silent.example.com:{port}/a"),
        format!("http://silent.example.com:{port}/b"),
    ];
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let server = FaultServer::start([("/".to_owned(), page_of_links(&links))].into(), |_| {
        not_found()
    })
    .await;
    let settings = CrawlerSettings {
        resolve: vec![Resolve {
            host: "silent.example.com".to_owned(),
            port,
            address: silent.address,
        }],
        ..settings()
    };
    let site = crawl(settings, &plan(server.url("/")), &MemoryJournal::default())
        .await
        .unwrap();
    let found: Vec<_> = verdicts(&site).into_values().collect();
    assert_eq!(found, [Verdict::Timeout, Verdict::Timeout]);
    assert_eq!(silent.count("/robots.txt"), silent.total());
}

#[tokio::test(flavor = "multi_thread")]
async fn llms_txt_is_requested_once_and_recorded_if_answered() {
    let mut site = library();
    site.insert(
        "/llms.txt".to_owned(),
        answer(200, "Content-Type: text/plain\r\n", b"# Library"),
    );
    let server = FaultServer::start(site, |_| not_found()).await;
    let (plan, journal) = (plan(server.url("/")), MemoryJournal::default());
    let first = crawl(settings(), &plan, &journal).await.unwrap();
    let found = |status, text: &str| {
        let text = text.to_owned();
        Some(LlmsTxtFact { status, text })
    };
    assert_eq!(first.site.llms_txt, found(200, "# Library"));
    let again = crawl(settings(), &plan, &journal).await.unwrap();
    assert_eq!(again.site.llms_txt, first.site.llms_txt);
    assert_eq!(server.count("/llms.txt"), 1);

    let absent = FaultServer::start(library(), |_| not_found()).await;
    let seen = read(absent.url("/")).await.unwrap();
    assert_eq!(seen.site.llms_txt, found(404, ""));

    let mut closed = library();
    let robots = b"User-agent: *\nDisallow: /llms.txt";
    closed.insert(
        "/robots.txt".to_owned(),
        answer(200, "Content-Type: text/plain\r\n", robots),
    );
    let closed = FaultServer::start(closed, |_| not_found()).await;
    assert_eq!(read(closed.url("/")).await.unwrap().site.llms_txt, None);
    assert_eq!(closed.count("/llms.txt"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partial_byte_order_mark_hides_no_rule() {
    let mut site = Site::new();
    site.insert("/".to_owned(), page_of_links(&["/private", "/open"]));
    let rules = [
        b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n",
        &b"\xef\xbbUser-agent: *\nDisallow: /private\n"[..],
    ];
    site.insert("/robots.txt".to_owned(), Act::Raw(rules.concat()));
    let server = FaultServer::start(site, |_| html("<p>text")).await;
    read(server.url("/")).await.unwrap();
    assert_eq!((server.count("/private"), server.count("/open")), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn external_checks_are_limited() {
    let other = FaultServer::start(Site::new(), |_| not_found()).await;
    let external = "http://other.example.com/";
    let named = |path: &str| format!("{external}{path}");
    let links = ["a", "b", "c"].map(named);
    let mut links: Vec<&str> = links.iter().map(String::as_str).collect();
    links.push("/own.png");
    let mut site = Site::new();
    site.insert("/".to_owned(), page_of_links(&links));
    let server = FaultServer::start(site, |_| not_found()).await;
    let settings = CrawlerSettings {
        max_external_checks: 2,
        resolve: vec![Resolve {
            host: "other.example.com".to_owned(),
            port: 80,
            address: other.address,
        }],
        ..settings()
    };
    let journal = MemoryJournal::default();
    let read = crawl(settings, &plan(server.url("/")), &journal)
        .await
        .unwrap();
    assert!(read.site.limits.contains(&LimitHit::MaxChecks));
    let steps = journal.steps.lock().unwrap();
    let checked: Vec<&str> = { steps.iter() }
        .filter_map(|it| match it {
            CrawlStep::Check(check) => Some(check.url.as_str()),
            _ => None,
        })
        .collect();
    let of_other = checked.iter().filter(|it| it.starts_with(external));
    assert_eq!(of_other.count(), 2, "{checked:?}");
    assert!(checked.iter().any(|it| it.ends_with("/own.png")));
}
