//! Serves hostile sites and has another process read them.

use crate::{
    fault_server::{Act, FaultServer, Site, html, not_found, page_of_links},
    reader_process::{FIGURES_PREFIX, URL, WARM_URL},
};
use std::{process::Stdio, time::Duration};
use tokio::{process::Command, time::timeout};

/// Limits per site: CPU time, waiting for anything but a CPU (other tests use it too), and memory.
const MAX_SECONDS: f64 = 30.0;
const MAX_KIB: u64 = 64 * 1024;
/// Time limit of a reading.
const READING_TIMEOUT: Duration = Duration::from_mins(3);

/// A hostile site: its start page links to `/bomb`.
pub struct Bomb {
    name: &'static str,
    site: Site,
    /// Expected part of the report.
    expected: &'static str,
}

/// A site with a hostile `/bomb`.
pub fn page(name: &'static str, act: Act, expected: &'static str) -> Bomb {
    place(name, "/bomb", act, expected)
}

/// A site with a hostile path.
pub fn place(name: &'static str, path: &str, act: Act, expected: &'static str) -> Bomb {
    let mut site = Site::from([
        ("/".to_owned(), page_of_links(&["/bomb"])),
        ("/bomb".to_owned(), html("<p>harmless")),
    ]);
    site.insert(path.to_owned(), act);
    Bomb {
        name,
        site,
        expected,
    }
}

impl Bomb {
    /// Adds a path.
    pub fn with(mut self, path: &str, act: Act) -> Self {
        self.site.insert(path.to_owned(), act);
        self
    }

    /// An error if a limit is exceeded or the report differs.
    pub async fn survived(self, otherwise: fn(&str) -> Act) -> Result<(), String> {
        let server = FaultServer::start(self.site, otherwise).await;
        let harmless = Site::from([("/".to_owned(), html(&"<p>Words, to be read. ".repeat(100)))]);
        let harmless = FaultServer::start(harmless, |_| not_found()).await;
        let reading = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "reader_process::a_reading",
                "--ignored",
                "--nocapture",
            ])
            .env(WARM_URL, harmless.url("/"))
            .env(URL, server.url("/"))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let Ok(output) = timeout(READING_TIMEOUT, reading).await else {
            return Err(format!("{}: not over after {READING_TIMEOUT:?}", self.name));
        };
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|it| it.strip_prefix(FIGURES_PREFIX));
        let Some(line) = line else {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}: no figures: {text} {errors}", self.name));
        };
        let mut parts = line.splitn(5, ' ');
        let kib: u64 = parts.next().unwrap().parse().unwrap();
        let computed: f64 = parts.next().unwrap().parse().unwrap();
        let queued: f64 = parts.next().unwrap().parse().unwrap();
        let seconds: f64 = parts.next().unwrap().parse().unwrap();
        let report = parts.next().unwrap();
        println!(
            "| {} | {:.1} s | {} MiB | {report} |",
            self.name,
            seconds,
            kib.div_ceil(1024)
        );
        let mut wrong = Vec::new();
        if computed > MAX_SECONDS || seconds - computed - queued > MAX_SECONDS {
            wrong.push("too slow");
        }
        if kib > MAX_KIB {
            wrong.push("too much memory");
        }
        if !report.contains(self.expected) {
            wrong.push("not reported");
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            let wrong = wrong.join(", ");
            Err(format!(
                "{}: {wrong}: {seconds} s, {computed} s of them computing, {queued} s waiting for a processor, {kib} KiB, {report}",
                self.name
            ))
        }
    }
}

/// CPU-bound sites, one after the other.
pub async fn one_by_one(bombs: Vec<Bomb>) {
    let mut wrong = Vec::new();
    for bomb in bombs {
        wrong.extend(bomb.survived(|_| not_found()).await.err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Slow sites, all at once.
pub async fn together(bombs: Vec<Bomb>) {
    let all = bombs.into_iter().map(|it| it.survived(|_| not_found()));
    let survived = futures_util::future::join_all(all).await;
    let wrong: Vec<String> = survived.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
