//! The demo: two projects with 41 days behind them, so that every page has something to show.

use crate::worker::process::{Process, command};
use harness::chromium::Tab;
use std::{
    io::Write,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};
use tempfile::TempDir;

const EMAIL: &str = "demo@sightline.example";
const PASSWORD: &str = "a walrus under 7 umbrellas";
/// Forty days are lived through first.
const PATIENCE: Duration = Duration::from_mins(3);

pub struct Demo {
    pub origin: String,
    _process: Process,
    _home: TempDir,
}

impl Demo {
    /// Starts it, gives its owner a password, and waits until everything is measured.
    pub async fn play() -> (Self, Tab) {
        let home = TempDir::with_prefix("sightline-stage-").unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let place = home.path().to_str().unwrap();
        let mut settings = vec![set("TMPDIR", place)];
        let arguments = ["demo", "--listen", &address.to_string()];
        let mut process = Process::start(command(home.path(), &settings, &arguments));
        process.await_line("Search results and AI answers are simulated");
        let file = database(home.path());
        settings.push(set("SIGHTLINE_DATABASE_URL", &format!("sqlite://{}", file.display())));
        password(home.path(), &settings);
        let origin = format!("http://{address}");
        let until = Instant::now() + PATIENCE;
        while std::net::TcpStream::connect(address).is_err() {
            assert!(Instant::now() < until, "{:#?}", process.said());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let tab = Tab::open(&origin).await;
        super::sign_in(&tab, EMAIL, PASSWORD).await;
        tab.at("/").await;
        // The site audit is the last that it does.
        tab.go("/analyses?type=siteAudit").await;
        tab.sees("Site audit").await;
        tab.until("it is over", "document.querySelector('[data-job]') === null && document.readyState === 'complete'").await;
        let demo = Self {
            origin,
            _process: process,
            _home: home,
        };
        (demo, tab)
    }

    /// The paths of its projects: the simulated market, and the audited site.
    pub async fn projects(tab: &Tab) -> Vec<String> {
        tab.go("/").await;
        let links = tab.eval("['Simulated market', 'Real pages'].map((name) => [...document.querySelectorAll('.project h2 a')].find((it) => it.textContent === name).getAttribute('href'))").await;
        let links = links.as_array().unwrap();
        links.iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    }
}

fn database(home: &Path) -> PathBuf {
    let folders = std::fs::read_dir(home).unwrap().map(|it| it.unwrap().path());
    let files = folders.filter(|it| it.is_dir()).flat_map(|it| std::fs::read_dir(it).unwrap());
    let mut files = files.map(|it| it.unwrap().path());
    files.find(|it| it.extension().is_some_and(|it| it == "db")).expect("its database")
}

fn password(home: &Path, settings: &[(String, String)]) {
    let arguments = ["account", "password", "--email", EMAIL];
    let mut told = command(home, settings, &arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = told.stdin.take().unwrap();
    writeln!(input, "{PASSWORD}").unwrap();
    drop(input);
    let ended = told.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
}
