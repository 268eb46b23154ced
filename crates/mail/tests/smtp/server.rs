//! The mail server `tests/mail/smtp_server.py`, one for each test.

use domain::email::EmailAddress;
use domain::ids::{AccountId, DeliveryId};
use domain::mail::{Delivery, Letter, Message};
use mail::{MailSettings, SmtpMailer};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
pub const USER: &str = "relay-user";
pub const PASSWORD: &str = "right-hunter2";

pub struct Server {
    process: Child,
    folder: TempDir,
    port: u16,
    security: &'static str,
}

impl Server {
    /// Needs a login unless it is plain.
    pub fn start(security: &'static str) -> Self {
        let login = ["--user", USER, "--password", PASSWORD];
        let login = if security == "none" { &[][..] } else { &login };
        Self::start_with(security, login)
    }

    pub fn start_with(security: &'static str, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let python = Path::new(ROOT).join("tests/mcp/venv/bin/python");
        let mut process = Command::new(&python)
            .arg(Path::new(ROOT).join("tests/mail/smtp_server.py"))
            .args(["--security", security, "--folder"])
            .arg(folder.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}; run tests/install", python.display()));
        let mut line = String::new();
        let mut shown = BufReader::new(process.stdout.take().unwrap());
        shown.read_line(&mut line).unwrap();
        let Ok(ready) = serde_json::from_str::<Value>(&line) else {
            panic!(
                "the mail server did not start, maybe since aiosmtpd is missing: run tests/install"
            );
        };
        Self {
            process,
            folder,
            port: ready["port"].as_u64().unwrap().try_into().unwrap(),
            security,
        }
    }

    /// Settings for this server, with changes.
    pub fn settings(&self, changes: &Value) -> MailSettings {
        let mut settings = json!({
            "host": "localhost",
            "port": self.port,
            "security": self.security,
            "from": "Sightline <sightline@sender.example>",
            "timeout_seconds": 10,
        });
        let all = settings.as_object_mut().unwrap();
        if self.security != "none" {
            all.insert("username".to_owned(), USER.into());
            let password = self.secret_file("password", PASSWORD);
            all.insert("password_file".to_owned(), password.into());
            let authority = self.folder.path().join("ca.pem");
            all.insert("ca_file".to_owned(), authority.to_str().unwrap().into());
        }
        all.extend(changes.as_object().unwrap().clone());
        all.retain(|_, value| !value.is_null());
        serde_json::from_value(settings).unwrap()
    }

    pub fn mailer(&self, changes: &Value) -> SmtpMailer {
        let mailer = SmtpMailer::new(&self.settings(changes)).unwrap();
        mailer.expect("mail is on")
    }

    pub fn secret_file(&self, name: &str, password: &str) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, password).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// What it answers instead of the usual replies.
    pub fn rules(&self, rules: &Value) {
        let part = self.folder.path().join("rules.part");
        fs::write(&part, rules.to_string()).unwrap();
        fs::rename(part, self.folder.path().join("rules.json")).unwrap();
    }

    pub fn messages(&self) -> Vec<Value> {
        self.lines("messages.jsonl")
    }

    pub fn steps(&self) -> Vec<String> {
        let step = |it: &Value| it["at"].as_str().unwrap().to_owned();
        self.lines("steps.jsonl").iter().map(step).collect()
    }

    fn lines(&self, file: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join(file)).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |it| it.0);
        let parse = |it: &str| serde_json::from_str(it).unwrap();
        whole.lines().map(parse).collect()
    }

    /// Waits until the server took this step so often.
    pub async fn await_step(&self, step: &str, times: usize) {
        let begun = Instant::now();
        while self.steps().iter().filter(|it| *it == step).count() < times {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "no {step}: {:?}",
                self.steps()
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub fn delivery(to: &str) -> Delivery {
    let now = chrono::DateTime::from_timestamp(1_796_000_000, 0).unwrap();
    let recipient = EmailAddress::parse(to).unwrap();
    Delivery::queued(
        (AccountId(7), DeliveryId(42)),
        recipient,
        Message::Test {},
        now,
    )
}

pub fn letter(to: &str) -> Letter {
    let delivery = delivery(to);
    Letter {
        at: delivery.created_at,
        action: Some("https://sightline.example/".to_owned()),
        action_expires_at: None,
        stop: None,
        delivery,
    }
}
