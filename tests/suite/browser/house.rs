//! A real server with its worker on an empty database, as whoever installs it starts it.

use crate::worker::{
    process::{Process, command},
    website::Website,
};
use harness::{databases::TestDatabase, postgres_server::Lane};
use storage::{DatabaseKind, Exclusive, OpenOptions};
use tempfile::TempDir;

/// The site that projects of these tests follow.
pub const SITE: &str = "shop.example.com";

pub struct House {
    /// Where it is served: `http://…`.
    pub origin: String,
    /// The code of the first run.
    pub code: String,
    _server: Process,
    _site: Website,
    _folder: TempDir,
    _database: TestDatabase,
}

impl House {
    /// Starts it, with a small site of links in reach.
    pub async fn open(kind: DatabaseKind) -> Self {
        let options = OpenOptions {
            exclusive: Exclusive::Tool,
            ..OpenOptions::default()
        };
        let database = TestDatabase::with_options(kind, options).await;
        let folder = TempDir::with_prefix("sightline-house-").unwrap();
        let site = Website::start();
        let set = |name: &str, value: &str| (format!("SIGHTLINE_{name}"), value.to_owned());
        let pooled = (Lane::chosen() == Lane::Pgbouncer).to_string();
        let resolve = format!(
            r#"["{SITE}:80={}","{SITE}:443=127.0.0.1:1"]"#,
            site.address
        );
        let settings = [
            set("DATABASE_URL", &database.url),
            set("DATABASE_POOLER", &pooled),
            set("CRAWLER__RESOLVE", &resolve),
            set("CRAWLER__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#),
            set("CRAWLER__PER_HOST_DELAY_MS", "0"),
            // Long enough for somebody to watch.
            set("SEARCH__SANDBOX__LATENCY_MS", "150"),
        ];
        let arguments = ["serve", "--listen", "127.0.0.1:0"];
        let mut server = Process::start(command(folder.path(), &settings, &arguments));
        let line = server.await_line("listens on");
        let address = line.rsplit("http://").next().unwrap().trim().to_owned();
        let line = server.await_line("welcome");
        Self {
            origin: format!("http://{address}"),
            code: code_in(&line),
            _server: server,
            _site: site,
            _folder: folder,
            _database: database,
        }
    }
}

/// What the line tells whoever started the server: behind the `#` of an address, or in words.
fn code_in(line: &str) -> String {
    let behind = line.split_once('#').map(|(_, it)| it);
    let behind = behind.or_else(|| line.split_once("code ").map(|(_, it)| it));
    let code = behind.unwrap_or_else(|| panic!("no code: {line}"));
    let code = code.split_whitespace().next().unwrap();
    code.to_owned()
}
