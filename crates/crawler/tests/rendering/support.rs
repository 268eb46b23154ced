//! Crawls with a browser with short time limits, and checks for leftovers.

use super::{
    fault_server::{Act, FaultServer, Site},
    left_behind::left_behind,
    sites::{self, MemoryJournal},
};
use analysis::{
    findings::{
        broken_links::PreviousBrokenLinks,
        evaluate,
        site_collector::{AuditContext, PageRecord, SiteCollector},
    },
    observation::{
        page_content::{PageContent, RenderFailure, Rendered, RenderedPage},
        web_site::CrawlStep,
    },
    result_type::ResultType,
};
use crawler::{BrowserSettings, CrawlerSettings, FetchLimits};
use domain::ports::site_reader::{CrawlPlan, Rendering, SiteReader};
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt, time::Duration};
use tempfile::TempDir;

/// Browser settings and plan of a crawl.
pub struct Browsing {
    pub lab: BrowserSettings,
    pub pages: u32,
    folder: TempDir,
}

impl Browsing {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The browser runs as another user when tests run as root.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let lab = BrowserSettings {
            folder: Some(folder.path().to_owned()),
            ..BrowserSettings::default()
        };
        assert!(
            lab.program().is_some(),
            "there is no Chromium; tests/run installs it"
        );
        Self {
            lab,
            pages: 20,
            folder,
        }
    }

    /// Crawls with a journal; returns pages by path.
    pub async fn read(&self, server: &FaultServer, journal: &MemoryJournal) -> Vec<PageContent> {
        // 127.0.0.2 is private like 127.0.0.1, but the operator did not allow it.
        let settings = CrawlerSettings {
            allow_networks: vec!["127.0.0.1/32".parse().unwrap()],
            limits: FetchLimits {
                total: Duration::from_secs(5),
                first_byte: Duration::from_secs(5),
                ..sites::quick_limits()
            },
            ..sites::settings()
        };
        let plan = CrawlPlan {
            render: Rendering::of(self.pages),
            check_external: false,
            ..sites::plan(server.url("/"))
        };
        let reader = sites::reader(settings).with_browser(self.lab.clone());
        let read = reader.read(&plan, journal).await;
        assert_eq!(self.left_behind(), Vec::<String>::new());
        read.unwrap();
        pages(journal)
    }

    /// Crawls a site; returns the page at a path.
    pub async fn page(&self, server: &FaultServer, path: &str) -> PageContent {
        let pages = self.read(server, &MemoryJournal::default()).await;
        let url = server.url(path);
        pages.into_iter().find(|it| it.url == url).unwrap()
    }

    /// What is left after waiting, within a time limit.
    pub async fn finally_left(&self) -> Vec<String> {
        for _ in 0..200 {
            if self.left_behind().is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.left_behind()
    }

    pub fn left_behind(&self) -> Vec<String> {
        left_behind(self.folder.path())
    }
}

/// In journal order.
pub fn pages(journal: &MemoryJournal) -> Vec<PageContent> {
    let steps = journal.steps.lock().unwrap();
    let pages = steps.iter().filter_map(|it| match it {
        CrawlStep::Page(page) => Some(PageContent::clone(page)),
        _ => None,
    });
    pages.collect()
}

/// The rendered version of a page.
pub fn shown(page: &PageContent) -> &RenderedPage {
    let rendered = page.rendered.as_ref();
    rendered
        .and_then(Rendered::page)
        .unwrap_or_else(|| panic!("{}: {rendered:?}", page.url))
}

/// Why a page was not rendered.
pub fn failure(page: &PageContent) -> (RenderFailure, Option<String>) {
    match &page.rendered {
        Some(Rendered::Failed { reason, detail }) => (*reason, detail.clone()),
        other => panic!("{}: {other:?}", page.url),
    }
}

/// Audit records of a site with one page.
pub struct Audited {
    pub content: Value,
    pub geo: Value,
    pub schema: Value,
}

pub async fn audited(browsing: &Browsing, server: &FaultServer) -> Audited {
    let journal = MemoryJournal::default();
    let pages = browsing.read(server, &journal).await;
    let mut site = None;
    for step in journal.steps.lock().unwrap().iter() {
        use analysis::observation::web_site::SiteObservation;
        match (step, &mut site) {
            (CrawlStep::Started { start, scope, at }, None) => {
                site = Some(SiteObservation::started(start.clone(), scope.clone(), *at));
            }
            (step, Some(site)) => site.add(step.clone()),
            _ => {}
        }
    }
    let mut cards = SiteCollector::of(site.unwrap(), PreviousBrokenLinks::default());
    for page in &pages {
        cards.add(page);
    }
    let (context, robots) = (AuditContext::default(), |_: &str| Vec::new());
    let site = cards.finish(&robots);
    let home = server.url("/");
    let mut records: Vec<PageRecord> = Vec::new();
    let _ = evaluate(&site, &context, &robots, pages.into_iter(), |it| {
        records.push(it);
    });
    let of = |kind| {
        let found = records
            .iter()
            .find(|it| it.result_type == kind && it.url == home);
        serde_json::from_str(found.unwrap().record.as_str()).unwrap()
    };
    Audited {
        content: of(ResultType::Content),
        geo: of(ResultType::GeoScore),
        schema: of(ResultType::Schema),
    }
}

impl Audited {
    /// Detail of an issue, if the page has it.
    pub fn issue(&self, code: &str) -> Option<&str> {
        let issues = self.content["issues"].as_array().unwrap();
        let found = issues.iter().find(|it| it["code"] == code)?;
        Some(found["detail"].as_str().unwrap_or(""))
    }

    /// Whether the page fails a gate of generative engines.
    pub fn is_shut(&self, code: &str) -> bool {
        let gates = self.geo["gates"].as_array().unwrap();
        gates.iter().any(|it| it["code"] == code)
    }
}

/// Each header line ends with CR LF.
pub fn answer(status: &str, media_type: &str, headers: &str, body: &str) -> Act {
    let length = body.len();
    Act::Raw(
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
        )
        .into_bytes(),
    )
}

/// An HTML response.
pub fn html(body: &str) -> Act {
    answer("200 OK", "text/html; charset=utf-8", "", body)
}

/// A site with these paths; others answer 404.
pub async fn site(paths: &[(&str, Act)]) -> FaultServer {
    let site: Site = paths
        .iter()
        .map(|(path, act)| ((*path).to_owned(), act.clone()))
        .collect();
    FaultServer::start(site, |_| answer("404 Not Found", "text/plain", "", "no")).await
}

/// Sentences of ten words each.
pub fn prose(sentences: usize) -> String {
    let sentence =
        |n: usize| format!("The potter turns clay number {n} slowly on the wheel today. ");
    (1..=sentences).map(sentence).collect()
}
