//! The demo: two projects with 41 days of data for every page.

use harness::chromium::Tab;
use harness::processes::process::command;
use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Stdio},
};
use tempfile::TempDir;

/// Killed when dropped.
pub struct Demo {
    process: Child,
    _home: TempDir,
}

impl Demo {
    /// Starts it, waits until everything is measured, and signs in with the password that it prints.
    pub async fn start_and_sign_in() -> (Self, Tab) {
        let played = tokio::task::spawn_blocking(start).await;
        let (demo, origin, password) = played.unwrap();
        let tab = Tab::open(&origin).await;
        super::sign_in(&tab, "demo@sightline.example", &password).await;
        tab.wait_for_path("/").await;
        (demo, tab)
    }

    /// Paths of the simulated market and of the audited site.
    pub async fn projects(tab: &Tab) -> Vec<String> {
        tab.go("/").await;
        let links = tab.eval("['Simulated market', 'Audited site'].map((name) => [...document.querySelectorAll('.project h2 a')].find((it) => it.textContent === name).getAttribute('href'))").await;
        let links = links.as_array().unwrap();
        { links.iter() }
            .map(|it| it.as_str().unwrap().to_owned())
            .collect()
    }
}

/// The demo, its origin, and its owner's password.
fn start() -> (Demo, String, String) {
    let home = TempDir::with_prefix("sightline-stage-").unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let settings = [("TMPDIR".to_owned(), home.path().display().to_string())];
    let shown = home.path().join("stderr");
    let arguments = ["demo", "--listen", &address.to_string()];
    let mut process = command(home.path(), &settings, &arguments)
        .stdout(Stdio::piped())
        .stderr(File::create(&shown).unwrap())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let demo = Demo {
        process,
        _home: home,
    };
    let password = lines
        .find_map(|line| {
            Some(
                line.ok()?
                    .trim()
                    .strip_prefix("password")?
                    .trim()
                    .to_owned(),
            )
        })
        .expect("it says who signs in");
    let warned = fs::read_to_string(&shown).unwrap();
    assert!(!warned.contains("WARN"), "{warned}");
    // Further output is drained, so that a full pipe does not block the process.
    std::thread::spawn(move || lines.for_each(drop));
    (demo, format!("http://{address}"), password)
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
