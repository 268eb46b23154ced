//! The mail server `tests/mail/smtp_server.py`, with TLS and a login.

use super::world::World;
use mail_parser::MessageParser;
use serde_json::{Value, json};
use std::{
    fs::{self, Permissions},
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;

pub struct MailServer {
    process: Child,
    folder: TempDir,
    port: u16,
}

/// A message that the server took.
#[derive(Debug, Clone)]
pub struct Received {
    pub to: String,
    pub is_encrypted: bool,
    pub user: String,
    /// With its headers.
    pub source: String,
    /// The plain-text part, decoded.
    pub text: String,
    pub subject: String,
}

impl Received {
    /// The URL in the text that begins with that one.
    #[must_use]
    pub fn link(&self, begins: &str) -> String {
        let words = self.text.split_whitespace();
        let mut links = words.filter(|it| it.starts_with(begins));
        let link = links.next();
        link.unwrap_or_else(|| panic!("no {begins}: {}", self.text))
            .to_owned()
    }
}

impl MailServer {
    #[must_use]
    pub fn start() -> Self {
        Self::start_at(0)
    }

    /// At a port of 127.0.0.1; 0 is any.
    #[must_use]
    pub fn start_at(port: u16) -> Self {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = tempfile::tempdir().expect("a folder");
        let mut process = Command::new(root.join("tests/mcp/venv/bin/python"))
            .arg(root.join("tests/mail/smtp_server.py"))
            .args(["--security", "starttls", "--user", "relay"])
            .args(["--password", PASSWORD, "--port", &port.to_string()])
            .arg("--folder")
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python: run tests/install");
        let mut line = String::new();
        let shown = process.stdout.take().expect("its output");
        BufReader::new(shown).read_line(&mut line).expect("a line");
        let ready: Value = serde_json::from_str(&line).expect("it listens: run tests/install");
        let port = ready["port"].as_u64().expect("a port");
        Self {
            process,
            folder,
            port: port.try_into().expect("a port"),
        }
    }

    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Sets the mail settings of servers and workers.
    pub fn settle_in(&self, world: &mut World) {
        let password = self.folder.path().join("password");
        fs::write(&password, PASSWORD).expect("a file");
        fs::set_permissions(&password, Permissions::from_mode(0o600)).expect("a mode");
        let authority = self.folder.path().join("ca.pem");
        for (name, value) in [
            ("HOST", "localhost"),
            ("PORT", &self.port.to_string()),
            ("SECURITY", "starttls"),
            ("USERNAME", "relay"),
            ("PASSWORD_FILE", password.to_str().expect("a path")),
            ("CA_FILE", authority.to_str().expect("a path")),
            ("FROM", "Sightline <sightline@sender.example>"),
            ("PER_MINUTE", "10000"),
        ] {
            world.set(&format!("MAIL__{name}"), value);
        }
        world.set("PUBLIC_BASE_URL", BASE_URL);
    }

    /// What it answers instead of the usual replies.
    pub fn rules(&self, rules: &Value) {
        let part = self.folder.path().join("rules.part");
        fs::write(&part, rules.to_string()).expect("a file");
        fs::rename(part, self.folder.path().join("rules.json")).expect("the rules");
    }

    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        let file = self.folder.path().join("messages.jsonl");
        let text = fs::read_to_string(file).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |it| it.0);
        whole.lines().map(received).collect()
    }

    /// Waits until it has so many messages.
    pub async fn await_messages(&self, count: usize) -> Vec<Received> {
        let begun = Instant::now();
        loop {
            let received = self.received();
            if received.len() >= count {
                return received;
            }
            let to: Vec<&str> = received.iter().map(|it| it.to.as_str()).collect();
            assert!(begun.elapsed() < Duration::from_mins(1), "{to:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

const PASSWORD: &str = "right-hunter2";
/// The server's own URL, as browsers of tests name it.
pub const BASE_URL: &str = "https://seo.example";

fn received(line: &str) -> Received {
    let of: Value = serde_json::from_str(line).expect("JSON");
    let source = of["data"].as_str().expect("a message").to_owned();
    let parsed = MessageParser::default().parse(source.as_bytes());
    let parsed = parsed.expect("a message");
    Received {
        to: of["to"][0].as_str().expect("a recipient").to_owned(),
        is_encrypted: of["tls"] == json!(true),
        user: of["user"].to_string(),
        text: parsed.body_text(0).expect("a text").into_owned(),
        subject: parsed.subject().expect("a subject").to_owned(),
        source,
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
