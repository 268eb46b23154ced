//! A browser with short time limits, and checks for leftovers.

use super::fault_server::{Act, FaultServer, Site};
use super::left_behind::left_behind;
use analysis::observation::vitals::{FormFactor, LabRun};
use crawler::{BrowserSettings, CrawlerSettings, LabRunner};
use domain::ports::page_speed::{LabError, LabOrder, LabVitals};
use std::{fs, os::unix::fs::PermissionsExt, time::Duration};
use tempfile::TempDir;
use tokio::{
    sync::{Mutex, MutexGuard},
    time::sleep,
};

/// Parallel loads would slow each other down.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// A browser that may reach 127.0.0.1, and no other loopback address.
pub struct TestLab {
    pub settings: BrowserSettings,
    folder: TempDir,
    _lock: MutexGuard<'static, ()>,
}

/// `None`, with a message, if something is missing.
pub async fn lab() -> Option<TestLab> {
    let lock = ONE_AT_A_TIME.lock().await;
    // Longer than a socket path may be.
    let folder = TempDir::with_prefix("long-".repeat(25)).unwrap();
    // The browser runs as another user when tests run as root.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let settings = BrowserSettings {
        folder: Some(folder.path().to_owned()),
        runs: 1,
        warm_up: Duration::from_millis(300),
        quiet: Duration::from_millis(600),
        load_limit: Duration::from_secs(8),
        run_limit: Duration::from_mins(1),
        ..BrowserSettings::default()
    };
    if settings.program().is_none() {
        eprintln!(
            "SKIPPED: there is no Chromium; tests/run installs it (apt-get install chromium)"
        );
        return None;
    }
    Some(TestLab {
        settings,
        folder,
        _lock: lock,
    })
}

impl TestLab {
    fn lab(&self) -> LabRunner {
        let crawler = CrawlerSettings {
            allow_networks: vec!["127.0.0.1/32".parse().unwrap()],
            ..CrawlerSettings::default()
        };
        LabRunner::new(self.settings.clone(), crawler)
    }

    /// Loads a page once, and checks that nothing of the browser is left.
    pub async fn load(&self, url: &str, form_factor: FormFactor) -> Result<LabRun, LabError> {
        let order = LabOrder {
            url: url.to_owned(),
            form_factor,
            runs: Some(1),
        };
        let measured = self.lab().load(&order).await;
        assert_eq!(self.left_behind(), Vec::<String>::new());
        measured.map(|mut it| it.runs.remove(0))
    }

    /// Starts a load and drops it after a while.
    pub async fn load_and_cancel(&self, url: &str, after: Duration) {
        let order = LabOrder {
            url: url.to_owned(),
            form_factor: FormFactor::Phone,
            runs: Some(1),
        };
        let lab = self.lab();
        let outcome = tokio::time::timeout(after, lab.load(&order)).await;
        assert!(outcome.is_err(), "it ended by itself: {outcome:?}");
    }

    /// Waits until nothing is left, within a time limit.
    pub async fn nothing_stays(&self) {
        for _ in 0..200 {
            if self.left_behind().is_empty() {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(self.left_behind(), Vec::<String>::new());
    }

    pub fn left_behind(&self) -> Vec<String> {
        left_behind(self.folder.path())
    }
}

/// An HTML response.
pub fn html(body: &str) -> Act {
    answer("200 OK", "text/html; charset=utf-8", "", body.as_bytes())
}

/// Each header line ends with CR LF.
pub fn answer(status: &str, media_type: &str, headers: &str, body: &[u8]) -> Act {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    );
    Act::Raw([head.as_bytes(), body].concat())
}

/// A site with these paths; others answer 404.
pub async fn site(paths: &[(&str, Act)]) -> FaultServer {
    let site: Site = paths
        .iter()
        .map(|(path, act)| ((*path).to_owned(), act.clone()))
        .collect();
    FaultServer::start(site, |_| answer("404 Not Found", "text/plain", "", b"no")).await
}

/// An SVG image, long because browsers ignore images of few bytes as content.
pub fn picture() -> Act {
    let dot = r##"<circle cx="99" cy="66" r="9" fill="#c63"/>"##;
    let dots = dot.repeat(60);
    let svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#357"/>{dots}</svg>"##
    );
    answer(
        "200 OK",
        "image/svg+xml",
        "cache-control: max-age=60\r\n",
        svg.as_bytes(),
    )
}
