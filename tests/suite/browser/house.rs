//! A real server with its worker on an empty database, as whoever installs it starts it.

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

/// The site that projects of these tests follow.
pub const SITE: &str = "shop.example.com";
/// Who moves in.
pub const EMAIL: &str = "ann@example.com";
/// Their password.
pub const WORDS: &str = "a walrus under 7 umbrellas";

/// No analysis takes longer, browsers' loads on two busy cores included.
const LONG: Duration = Duration::from_mins(2);

pub struct House {
    /// Where it is served: `http://…`.
    pub origin: String,
    /// The address that it shows for the first run.
    pub welcome: String,
    _server: Process,
    _site: Option<Website>,
    _folder: TempDir,
    _database: TestDatabase,
}

impl House {
    /// Starts it, with a small site of links in reach.
    pub async fn open(kind: DatabaseKind) -> Self {
        let site = Website::start();
        let house = Self::beside(kind, site.address).await;
        Self {
            _site: Some(site),
            ..house
        }
    }

    /// Starts it; at that address is the site that its projects follow.
    pub async fn beside(kind: DatabaseKind, site: SocketAddr) -> Self {
        let options = OpenOptions {
            exclusive: Exclusive::Tool,
            ..OpenOptions::default()
        };
        let database = TestDatabase::with_options(kind, options).await;
        let folder = TempDir::with_prefix("sightline-house-").unwrap();
        let set = |name: &str, value: &str| (format!("SIGHTLINE_{name}"), value.to_owned());
        let pooled = (Lane::chosen() == Lane::Pgbouncer).to_string();
        let resolve = format!(r#"["{SITE}:80={site}","{SITE}:443=127.0.0.1:1"]"#);
        let settings = [
            set("DATABASE_URL", &database.url),
            set("DATABASE_POOLER", &pooled),
            set("CRAWLER__RESOLVE", &resolve),
            set("CRAWLER__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#),
            set("CRAWLER__PER_HOST_DELAY_MS", "0"),
            // Long enough for somebody to watch.
            set("SEARCH__SANDBOX__LATENCY_MS", "150"),
            // One page in one load for each kind of device: what is watched is the page of results.
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

    /// The first run, as far as it goes well.
    pub async fn move_in(&self, tab: &Tab) {
        tab.go(&self.welcome).await;
        tab.fill("Your name", "Ann").await;
        tab.fill("E-mail", EMAIL).await;
        tab.fill("Password", WORDS).await;
        tab.click("button", "Create the account").await;
        tab.at("/").await;
    }

    /// The first project; its path.
    pub async fn create_a_project(tab: &Tab, keywords: &[String]) -> String {
        tab.fill("Domain", SITE).await;
        tab.fill("Name", "The shop").await;
        tab.fill("First keywords", &keywords.join("\n")).await;
        tab.click("button", "Create the project").await;
        tab.under("/projects/").await
    }

    /// Starts an analysis by its button and watches it until it is over.
    pub async fn watch(tab: &Tab, button: &str, name: &str) {
        tab.click("button", button).await;
        tab.sees("Running now").await;
        tab.until(
            "its bar is told of",
            &format!("[...document.querySelectorAll('progress')].some((it) => it.getAttribute('aria-label') === 'Progress of {name}')"),
        )
        .await;
        // Nobody loads the page again: it comes by itself when the analysis ends.
        tab.until_in(
            LONG,
            "it is over",
            "document.querySelector('[data-job]') === null && document.readyState === 'complete'",
        )
        .await;
        tab.sees("Last analyses").await;
    }
}
