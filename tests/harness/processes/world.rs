//! A database with an account, and the processes on it.

use super::{
    admin_client::AdminClient,
    api::Api,
    process::{Process, command, program},
};
use crate::{
    databases::{Template, TestDatabase},
    postgres_server::Lane,
};
use analysis::result_type::ResultType;
use chrono::TimeDelta;
use domain::{
    ids::{AccountId, JobId, KeywordId, ProjectId},
    ports::storage::Storage,
    schedule::Schedule,
};
use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};
use storage::{DatabaseKind, Exclusive, OpenOptions};
use tempfile::TempDir;
use tokio::{sync::OnceCell, task::spawn_blocking};

/// For each kind of database: an account and a token, created by the commands; every world starts with a copy.
static TEMPLATES: [OnceCell<(Template, String, AccountId)>; 2] =
    [OnceCell::const_new(), OnceCell::const_new()];

pub struct World {
    pub database: TestDatabase,
    folder: TempDir,
    settings: Vec<(String, String)>,
    token: String,
    account: AccountId,
}

impl World {
    /// An account with a token, and a queue with short intervals.
    pub async fn on(kind: DatabaseKind) -> Self {
        let options = || OpenOptions {
            exclusive: Exclusive::Tool,
            ..OpenOptions::default()
        };
        let beginning = match kind {
            DatabaseKind::Sqlite => &TEMPLATES[0],
            DatabaseKind::Postgres => &TEMPLATES[1],
        };
        let make = async || {
            let world = Self::in_database(TestDatabase::with_options(kind, options()).await);
            let (token, account) = (world.token.clone(), world.account);
            let template = spawn_blocking(move || world.database.into_template());
            (template.await.unwrap(), token, account)
        };
        let (template, token, account) = beginning.get_or_init(make).await;
        let mut world =
            Self::without_account(TestDatabase::from_template(template, options()).await);
        world.token.clone_from(token);
        world.account = *account;
        world
    }

    fn without_account(database: TestDatabase) -> Self {
        let mut world = Self {
            settings: vec![
                ("SIGHTLINE_DATABASE_URL".to_owned(), database.url.clone()),
                (
                    "SIGHTLINE_DATABASE_POOLER".to_owned(),
                    (Lane::from_env() == Lane::Pgbouncer).to_string(),
                ),
            ],
            folder: TempDir::with_prefix("sightline-world-").unwrap(),
            database,
            token: String::new(),
            account: AccountId(0),
        };
        // Tests run in parallel and cannot share the default port.
        world.set("ADMIN__LISTEN", "off");
        for (name, value) in [
            ("LEASE", "3"),
            ("HEARTBEAT", "1"),
            ("SWEEP", "1"),
            ("FIRST_DELAY", "1"),
        ] {
            world.set(&format!("QUEUE__{name}_SECONDS"), value);
        }
        world
    }

    /// The same in that database.
    pub fn in_database(database: TestDatabase) -> Self {
        let mut world = Self::without_account(database);
        world.run_command(&[
            "account",
            "create",
            "--email",
            "ann@example.com",
            "--name",
            "Ann",
        ]);
        world.token = world.run_command(&[
            "token",
            "create",
            "--email",
            "ann@example.com",
            "--name",
            "t",
        ]);
        let accounts: serde_json::Value =
            serde_json::from_str(&world.run_command(&["account", "list", "--json"])).unwrap();
        world.account = AccountId(accounts[0]["id"].as_i64().unwrap());
        world
    }

    /// Sets `SIGHTLINE_…` for processes that start later.
    pub fn set(&mut self, name: &str, value: &str) {
        let name = format!("SIGHTLINE_{name}");
        self.settings.retain(|(known, _)| *known != name);
        self.settings.push((name, value.to_owned()));
    }

    /// A job that was lost three times fails. Tests that kill two of its workers must not lose a third lease on a busy
    /// machine.
    pub fn use_long_leases(&mut self) {
        self.set("QUEUE__LEASE_SECONDS", "10");
    }

    /// Whether the clock of processes that start later is an hour ahead.
    pub fn set_clock_ahead(&mut self, it_is: bool) {
        const PRELOAD: &str = "LD_PRELOAD";
        self.settings.retain(|(known, _)| known != PRELOAD);
        if !it_is {
            return;
        }
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/chaos/ahead.c");
        let library = self.folder.path().join("ahead.so");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O2", "-o"])
            .arg(&library)
            .arg(source)
            .status();
        assert!(compiled.unwrap().success());
        let library = library.to_str().unwrap().to_owned();
        self.settings.push((PRELOAD.to_owned(), library));
    }

    pub fn account(&self) -> i64 {
        self.account.0
    }

    /// Moves the account's schedules into the past.
    pub async fn make_schedules_due(&self, earlier: TimeDelta) {
        let mut work = self.database.storage.write().await.unwrap();
        for schedule in work.schedules().list(self.account).await.unwrap() {
            let due = Schedule {
                next_at: schedule.next_at - earlier,
                ..schedule
            };
            work.schedules().set(&due).await.unwrap();
        }
        work.commit().await.unwrap();
    }

    /// The folder of the database: tables, write-ahead log, locks.
    pub fn database_folder(&self) -> PathBuf {
        let url = &self.database.url;
        if let Some(file) = url.strip_prefix("sqlite://") {
            return Path::new(file).parent().unwrap().to_owned();
        }
        // The server's folder, not the pooler's folder inside it.
        let host = url.rsplit("host=").next().unwrap();
        let host = host.split('&').next().unwrap();
        PathBuf::from(host.strip_suffix("/pooled").unwrap_or(host))
    }

    /// Sets the key file that servers on the `SQLite` database created, for servers on another database.
    pub fn keep_key_file(&mut self) {
        let file = self.database_folder().join("secrets.key");
        if self.is_sqlite() {
            self.set("SECRETS__KEY_FILE", file.to_str().expect("a path"));
        }
    }

    pub fn is_sqlite(&self) -> bool {
        self.database.kind() == DatabaseKind::Sqlite
    }

    /// Runs a command; returns its standard output.
    pub fn run_command(&self, arguments: &[&str]) -> String {
        let ran = self.command(arguments).output().unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        command(self.folder.path(), &self.settings, arguments)
    }

    /// Runs a command that fails; returns its standard error.
    pub fn run_failing_command(&self, arguments: &[&str]) -> String {
        let ran = self.command(arguments).output().unwrap();
        assert!(
            !ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stdout)
        );
        String::from_utf8(ran.stderr).unwrap()
    }

    /// A folder for the test's files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a script in bash with the program at `target/release/sightline`, up to the first failing command.
    pub fn run_script(&self, script: &str) -> Output {
        let place = self.folder.path().join("target/release");
        std::fs::create_dir_all(&place).unwrap();
        std::os::unix::fs::symlink(program(), place.join("sightline")).unwrap();
        let settings = self.settings.iter().map(|(key, value)| (key, value));
        Command::new("bash")
            .args(["-euo", "pipefail", "-c", script])
            .envs(settings)
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    pub fn serve(&self, more: &[&str]) -> (Process, Api) {
        let mut arguments = vec!["serve", "--listen", "127.0.0.1:0"];
        arguments.extend(more);
        self.listening(Process::start(self.command(&arguments)))
    }

    /// A server with a file size limit in KiB that simulates a full disk, until [`Process::lift_file_limit`].
    pub fn serve_with_files_up_to(&self, kibibytes: u64, more: &[&str]) -> (Process, Api) {
        let program = program().display();
        let script = format!(
            "ulimit -S -f {kibibytes}; exec {program} serve --listen 127.0.0.1:0 {}",
            more.join(" ")
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", &script])
            .env_clear()
            .env("HOME", self.folder.path())
            .envs(self.settings.iter().map(|(key, value)| (key, value)))
            .current_dir(self.folder.path());
        self.listening(Process::start(bash))
    }

    fn listening(&self, mut server: Process) -> (Process, Api) {
        let line = server.await_line("listens on");
        let address = line.rsplit("http://").next().unwrap();
        // In JSON logs a quotation mark follows.
        let address = address.split('"').next().unwrap().to_owned();
        let token = self.token.clone();
        (server, Api { address, token })
    }

    /// A server with an admin listener.
    pub fn serve_with_admin(&mut self, more: &[&str]) -> (Process, Api, AdminClient) {
        self.set("ADMIN__LISTEN", "127.0.0.1:0");
        let (mut server, api) = self.serve(more);
        let watcher = AdminClient::from_line(&server.await_line("/readyz"));
        (server, api, watcher)
    }

    /// A worker with an admin listener.
    pub fn worker_with_admin(&mut self) -> (Process, AdminClient) {
        self.set("ADMIN__LISTEN", "127.0.0.1:0");
        let mut worker = self.worker();
        let watcher = AdminClient::from_line(&worker.await_line("/readyz"));
        (worker, watcher)
    }

    pub fn worker(&self) -> Process {
        let mut worker = Process::start(self.command(&["worker"]));
        worker.await_line("takes jobs from");
        worker
    }

    /// The job's number of measurements per keyword.
    pub async fn counts(&self, project: i64, job: i64) -> Vec<(KeywordId, u32)> {
        let mut read = self.database.port().read().await.unwrap();
        let measurements = read.measurements();
        let counted = measurements.counts(self.account, ProjectId(project), JobId(job));
        counted.await.unwrap()
    }

    /// Asserts that each keyword was measured once and nothing is staged.
    pub async fn assert_measured_once(&self, project: i64, job: i64, keywords: usize) {
        let counts = self.counts(project, job).await;
        assert_eq!(counts.len(), keywords);
        assert!(counts.iter().all(|(_, number)| *number == 1), "{counts:?}");
        self.assert_nothing_staged(job).await;
    }

    /// Asserts that the job has no staged records.
    pub async fn assert_nothing_staged(&self, job: i64) {
        let mut read = self.database.port().read().await.unwrap();
        for result_type in [
            ResultType::Rankings,
            ResultType::Serp,
            ResultType::BrokenLinks,
            ResultType::Vitals,
        ] {
            let staged = read
                .measurements()
                .staged(self.account, JobId(job), result_type, None, 1)
                .await;
            assert!(
                staged.unwrap().is_empty(),
                "{result_type:?} is still staged"
            );
        }
        let journal = read
            .measurements()
            .read_journal(self.account, JobId(job), None, 1)
            .await;
        assert!(journal.unwrap().is_empty(), "the journal is still there");
    }
}
