//! A private `PostgreSQL` server: a socket in its own folder, removed when this process ends.

use diesel::{Connection, PgConnection, connection::SimpleConnection};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// Starts, reports, restarts on request, and stops when its standard input closes, also if the parent process is
/// killed. `$1` is the folder, `$2` the folder of the programs, `$3` whether there is a pooler, `$4` further server
/// options.
const WATCHDOG: &str = r#"
trap '' INT
"$2/initdb" -D "$1/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$1/log" 2>&1 || { cat "$1/log"; exit 1; }
start() {
    "$2/pg_ctl" -D "$1/data" -w -l "$1/log" -o "-k $1 -c listen_addresses='' -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c max_connections=300 -c shared_buffers=64MB $4" start >/dev/null 2>&1 </dev/null || { cat "$1/log"; exit 1; }
}
start "$1" "$2" "$3" "$4"
if [ "$3" = pgbouncer ]; then
    mkdir "$1/pooled"
    printf '"postgres" ""\n"sightline" ""\n' >"$1/users"
    [ -e "$1/pgbouncer.ini" ] || cat >"$1/pgbouncer.ini" <<END
[databases]
* = host=$1
[pgbouncer]
listen_addr =
unix_socket_dir = $1/pooled
auth_type = trust
auth_file = $1/users
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 20
logfile = $1/pgbouncer.log
END
    pgbouncer -q "$1/pgbouncer.ini" >/dev/null 2>&1 </dev/null &
    pooler=$!
    while [ ! -S "$1/pooled/.s.PGSQL.6432" ]; do
        kill -0 "$pooler" 2>/dev/null || { cat "$1/pgbouncer.log"; exit 1; }
        sleep 0.05
    done
fi
echo ready
while read -r _; do
    "$2/pg_ctl" -D "$1/data" -m fast stop >/dev/null 2>&1 </dev/null
    start "$1" "$2" "$3" "$4"
    echo ready
done
[ -z "$pooler" ] || kill "$pooler"
"$2/pg_ctl" -D "$1/data" -m immediate stop >/dev/null 2>&1 </dev/null
rm -rf "$1"
"#;

/// What the tests of `PostgreSQL` run with; set by `TEST_LANE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    Plain,
    /// Row-level security (`wall`).
    Rls,
    /// Every transaction is serializable (`serializable`).
    Serializable,
    /// pgbouncer in transaction mode (`pgbouncer`).
    Pgbouncer,
}

impl Lane {
    /// The lane of this run. An unknown one panics: a typo must not pass as a green lane.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "a choice of the test run, not a setting of the product"
    )]
    pub fn from_env() -> Self {
        match std::env::var("TEST_LANE").as_deref() {
            Err(_) | Ok("") => Self::Plain,
            Ok("wall") => Self::Rls,
            Ok("serializable") => Self::Serializable,
            Ok("pgbouncer") => Self::Pgbouncer,
            Ok(other) => panic!("TEST_LANE={other}: wall, serializable or pgbouncer"),
        }
    }
}

pub struct PostgresServer {
    folder: PathBuf,
    lane: Lane,
    commands: ChildStdin,
    reports: BufReader<std::process::ChildStdout>,
    _watchdog: Child,
}

impl PostgresServer {
    /// Starts the newest `PostgreSQL` that is installed.
    #[must_use]
    pub fn start() -> Self {
        let lane = Lane::from_env();
        Self::start_with(lane, "", |_| ())
    }

    /// With further options, in which `FOLDER` is replaced, and with files that are written before the start.
    #[must_use]
    pub fn start_with(lane: Lane, options: &str, prepare: impl FnOnce(&Path)) -> Self {
        let programs = newest_programs().expect(
            "the tests need PostgreSQL: /usr/lib/postgresql/*/bin/initdb is not there \
             (apt-get install postgresql)",
        );
        // The watchdog removes the folder: it outlives this process.
        let folder = TempDir::with_prefix("sightline-pg-")
            .expect("a folder")
            .keep();
        let mut command = as_postgres(&folder);
        prepare(&folder);
        let mut watchdog = command
            .args(["sh", "-c", WATCHDOG, "watchdog"])
            .args([&folder, &programs])
            .arg(if lane == Lane::Pgbouncer {
                "pgbouncer"
            } else {
                "plain"
            })
            .arg(options.replace("FOLDER", &folder.display().to_string()))
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the watchdog starts");
        let mut server = Self {
            folder,
            lane,
            commands: watchdog.stdin.take().expect("a pipe"),
            reports: BufReader::new(watchdog.stdout.take().expect("a pipe")),
            _watchdog: watchdog,
        };
        server.await_readiness();
        // An ordinary role: superusers bypass row-level security.
        server.execute("CREATE ROLE sightline LOGIN NOSUPERUSER");
        if lane == Lane::Serializable {
            server
                .execute("ALTER ROLE sightline SET default_transaction_isolation = 'serializable'");
        }
        server
    }

    pub fn restart(&mut self) {
        self.commands.write_all(b"restart\n").expect("a watchdog");
        self.await_readiness();
    }

    /// The server's folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Stops the server in the folder immediately, as after a power loss.
    pub fn stop_in(folder: &Path) {
        pg_ctl(folder, &["-m", "immediate", "stop"]);
    }

    /// Starts a stopped server in the folder.
    pub fn start_in(folder: &Path) {
        let options = format!(
            "-k {} -c listen_addresses='' -c fsync=off",
            folder.display()
        );
        let log = folder.join("log");
        let log = log.to_str().expect("a folder of ours");
        pg_ctl(folder, &["-w", "-l", log, "-o", &options, "start"]);
    }

    /// Pauses (SIGSTOP) every process of the server in the folder, until [`Self::resume_in`].
    pub fn pause_in(folder: &Path) {
        let first = Self::postmaster_pid(folder);
        send_signal("-STOP", [first.as_str()]);
        // Once stopped it starts no more processes.
        while !is_stopped(&first) {
            thread::sleep(Duration::from_millis(1));
        }
        send_signal("-STOP", child_processes(&first).split_whitespace());
    }

    /// Resumes the server (SIGCONT).
    pub fn resume_in(folder: &Path) {
        let first = Self::postmaster_pid(folder);
        let others = child_processes(&first);
        send_signal("-CONT", others.split_whitespace().chain([first.as_str()]));
    }

    /// The process id of the postmaster.
    fn postmaster_pid(folder: &Path) -> String {
        let pid_file = fs::read_to_string(folder.join("data/postmaster.pid")).expect("it runs");
        pid_file.lines().next().expect("its number").to_owned()
    }

    /// A database's URL for an ordinary role.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let folder = self.folder.display();
        if self.lane == Lane::Pgbouncer {
            return format!("postgres://sightline@/{database}?host={folder}/pooled&port=6432");
        }
        format!("postgres://sightline@/{database}?host={folder}")
    }

    /// The superuser's URL, bypassing the lane.
    #[must_use]
    pub fn superuser_url(&self, database: &str) -> String {
        format!(
            "postgres://postgres@/{database}?host={}",
            self.folder.display()
        )
    }

    /// The owner's URL, bypassing a pooler.
    #[must_use]
    pub fn direct_url(&self, database: &str) -> String {
        format!(
            "postgres://sightline@/{database}?host={}",
            self.folder.display()
        )
    }

    /// Runs a statement as superuser.
    pub fn execute(&self, statement: &str) {
        let mut admin =
            PgConnection::establish(&self.superuser_url("postgres")).expect("the test server");
        admin.batch_execute(statement).expect("the statement runs");
    }

    fn await_readiness(&mut self) {
        let mut line = String::new();
        self.reports.read_line(&mut line).expect("a report");
        if line.trim() != "ready" {
            // The watchdog prints the log and ends.
            let _ = self.reports.read_to_string(&mut line);
        }
        assert_eq!(line.trim(), "ready", "PostgreSQL does not start: {line}");
    }
}

fn pg_ctl(folder: &Path, arguments: &[&str]) {
    let programs = newest_programs().expect("PostgreSQL is installed");
    // The server runs as the owner of its data; inherited pipes would stay open.
    let mut command = as_owner_of(folder);
    let done = command
        .arg(programs.join("pg_ctl"))
        .arg("-D")
        .arg(folder.join("data"))
        .args(arguments)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(done.expect("pg_ctl runs").success(), "{arguments:?}");
}

fn send_signal<'a>(signal: &str, processes: impl IntoIterator<Item = &'a str>) {
    let status = Command::new("kill").arg(signal).args(processes).status();
    assert!(status.expect("kill runs").success());
}

/// Child processes that have not been waited for.
fn child_processes(process: &str) -> String {
    fs::read_to_string(format!("/proc/{process}/task/{process}/children")).expect("it runs")
}

fn is_stopped(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    // The name in parentheses may contain anything.
    stat.rsplit(") ")
        .next()
        .is_some_and(|it| it.starts_with('T'))
}

fn as_owner_of(folder: &Path) -> Command {
    let own =
        std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").expect("this process"));
    let theirs = std::os::unix::fs::MetadataExt::uid(&fs::metadata(folder).expect("the folder"));
    if own == theirs {
        return Command::new("env");
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]);
    command
}

fn newest_programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let programs = versions.map(|it| it.path().join("bin"));
    programs
        .filter(|it| it.join("initdb").exists())
        .max_by_key(|it| {
            let version = it.parent().and_then(Path::file_name);
            version.and_then(|it| it.to_str()?.parse::<u32>().ok())
        })
}

/// `PostgreSQL` refuses to run as root.
fn as_postgres(folder: &Path) -> Command {
    let own = std::os::unix::fs::MetadataExt::uid(&fs::metadata(folder).expect("the folder"));
    if own != 0 {
        return Command::new("env");
    }
    let id = Command::new("id")
        .args(["-u", "postgres"])
        .output()
        .expect("id runs");
    let id: u32 = String::from_utf8_lossy(&id.stdout)
        .trim()
        .parse()
        .expect("a user `postgres`");
    std::os::unix::fs::chown(folder, Some(id), Some(id)).expect("root may give it away");
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]);
    command
}
