//! A lab that does not wait long, and what its browsers leave behind.

use super::fault_server::{Act, FaultServer, Site};
use super::left_behind::left_behind;
use analysis::observation::vitals::{FormFactor, LabRun};
use crawler::{BrowserLab, CrawlerSettings, LabSettings};
use domain::ports::page_speed::{LabError, LabOrder, LabVitals};
use std::{fs, os::unix::fs::PermissionsExt, time::Duration};
use tempfile::TempDir;
use tokio::{
    sync::{Mutex, MutexGuard},
    time::sleep,
};

/// Loads are not to slow each other down.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// A lab whose browsers may go to 127.0.0.1, and to no other address of loopback.
pub struct TestLab {
    pub settings: LabSettings,
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// The lab, or `None` with a word about what is missing.
pub async fn lab() -> Option<TestLab> {
    let turn = ONE_AT_A_TIME.lock().await;
    // Longer than the path of a socket may be.
    let folder = TempDir::with_prefix("long-".repeat(25)).unwrap();
    // The browser runs as somebody else when the tests run as root.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let settings = LabSettings {
        folder: Some(folder.path().to_owned()),
        runs: 1,
        settling: Duration::from_millis(300),
        quiet: Duration::from_millis(600),
        load_limit: Duration::from_secs(8),
        run_limit: Duration::from_mins(1),
        ..LabSettings::default()
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
        _turn: turn,
    })
}

impl TestLab {
    fn lab(&self) -> BrowserLab {
        let crawler = CrawlerSettings {
            allow_networks: vec!["127.0.0.1/32".parse().unwrap()],
            ..CrawlerSettings::default()
        };
        BrowserLab::new(self.settings.clone(), crawler)
    }

    /// Loads a page once; nothing of the browser may be left afterwards.
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

    /// Begins to load a page and drops it after a while.
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

    /// Waits, within reason, until nothing is left.
    pub async fn nothing_stays(&self) {
        for _ in 0..200 {
            if self.left_behind().is_empty() {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(self.left_behind(), Vec::<String>::new());
    }

    /// Files in the folder, and processes that name it.
    pub fn left_behind(&self) -> Vec<String> {
        left_behind(self.folder.path())
    }
}

/// An HTML answer.
pub fn html(body: &str) -> Act {
    answer("200 OK", "text/html; charset=utf-8", "", body.as_bytes())
}

/// An answer with further header lines, each ended by CR LF.
pub fn answer(status: &str, media_type: &str, headers: &str, body: &[u8]) -> Act {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n"
    );
    Act::Raw([head.as_bytes(), body].concat())
}

/// A site with these paths; everything else is not found.
pub async fn site(paths: &[(&str, Act)]) -> FaultServer {
    let site: Site = paths
        .iter()
        .map(|(path, act)| ((*path).to_owned(), act.clone()))
        .collect();
    FaultServer::start(site, |_| answer("404 Not Found", "text/plain", "", b"no")).await
}

/// A picture: an SVG, which is drawn like any other image. It is long, because browsers do not take
/// images of few bytes for content.
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
