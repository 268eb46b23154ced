//! A real server with its worker on an empty database, as installed.

use harness::{
    chromium::Tab,
    databases::TestDatabase,
    postgres_server::Lane,
    processes::{
        process::{Process, command},
        website::Website,
    },
};
use std::{net::SocketAddr, time::Duration};
use storage::{DatabaseKind, Exclusive, OpenOptions};
use tempfile::TempDir;

/// Domain of the test projects.
pub const SITE: &str = "shop.example.com";
pub const EMAIL: &str = "ann@example.com";
pub const PASSWORD: &str = "a walrus under 7 umbrellas";

/// Longer than any analysis takes, including page loads on two busy cores.
const ANALYSIS_TIMEOUT: Duration = Duration::from_mins(2);

pub struct InstalledServer {
    /// `http://…`.
    pub origin: String,
    /// URL of the first run, with its code.
    pub welcome: String,
    _server: Process,
    _site: Option<Website>,
    _folder: TempDir,
    _database: TestDatabase,
}

impl InstalledServer {
    /// Starts it with a small website.
    pub async fn start(kind: DatabaseKind) -> Self {
        let site = Website::start();
        let house = Self::start_with_site(kind, site.address).await;
        Self {
            _site: Some(site),
            ..house
        }
    }

    /// Starts it; the projects' domain resolves to `site`.
    pub async fn start_with_site(kind: DatabaseKind, site: SocketAddr) -> Self {
        let options = OpenOptions {
            exclusive: Exclusive::Tool,
            ..OpenOptions::default()
        };
        let database = TestDatabase::with_options(kind, options).await;
        let folder = TempDir::with_prefix("sightline-house-").unwrap();
        let set = |name: &str, value: &str| (format!("SIGHTLINE_{name}"), value.to_owned());
        let pooled = (Lane::from_env() == Lane::Pgbouncer).to_string();
        let resolve = format!(r#"["{SITE}:80={site}","{SITE}:443=127.0.0.1:1"]"#);
        let settings = [
            set("DATABASE_URL", &database.url),
            set("DATABASE_POOLER", &pooled),
            set("CRAWLER__RESOLVE", &resolve),
            set("CRAWLER__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#),
            set("CRAWLER__PER_HOST_DELAY_MS", "0"),
            // Slow enough to watch.
            set("SEARCH__SANDBOX__LATENCY_MS", "150"),
            // One page, one load per device: enough for the result page.
            set("VITALS__MAX_PAGES", "1"),
            set("VITALS__LAB__RUNS", "1"),
        ];
        let arguments = ["serve", "--listen", "127.0.0.1:0"];
        let mut server = Process::start(command(folder.path(), &settings, &arguments));
        let line = server.await_line("listens on");
        let address = line.rsplit("http://").next().unwrap().trim().to_owned();
        let line = server.await_line("/welcome#");
        let mut words = line.split_whitespace();
        let welcome = words
            .find(|it| it.contains("/welcome#"))
            .unwrap()
            .to_owned();
        Self {
            origin: format!("http://{address}"),
            welcome,
            _server: server,
            _site: None,
            _folder: folder,
            _database: database,
        }
    }

    /// Creates the first account.
    pub async fn create_first_account(&self, tab: &Tab) {
        tab.go(&self.welcome).await;
        tab.fill("Your name", "Ann").await;
        tab.fill("E-mail", EMAIL).await;
        tab.fill("Password", PASSWORD).await;
        tab.click("button", "Create the account").await;
        tab.wait_for_path("/").await;
    }

    /// Creates the first project; returns its path.
    pub async fn create_a_project(tab: &Tab, keywords: &[String]) -> String {
        tab.fill("Domain", SITE).await;
        tab.fill("Name", "The shop").await;
        tab.fill("First keywords", &keywords.join("\n")).await;
        tab.click("button", "Create the project").await;
        tab.wait_for_path_prefix("/projects/").await
    }

    /// Starts an analysis with its button, and waits until it ends.
    pub async fn run_analysis(tab: &Tab, button: &str, name: &str) {
        tab.click("button", button).await;
        tab.wait_for_text("Running now").await;
        tab.wait_until(
            "its progress bar has a name",
            &format!("[...document.querySelectorAll('progress')].some((it) => it.getAttribute('aria-label') === 'Progress of {name}')"),
        )
        .await;
        // The page reloads itself when the analysis ends.
        tab.wait_until_within(
            ANALYSIS_TIMEOUT,
            "it is over",
            "document.querySelector('[data-job]') === null && document.readyState === 'complete'",
        )
        .await;
        tab.wait_for_text("Last analyses").await;
    }
}
