//! The program `sightline`: built once, started, observed, killed.

use std::{
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{LazyLock, mpsc},
    time::{Duration, Instant},
};

/// Builds the program like the tests; returns a hard link to it, since another build may replace the file.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let mut build = Command::new(env!("CARGO"));
    // The whole workspace, so that features unify as for the tests and nothing is rebuilt.
    build.args([
        "build",
        "-q",
        "--workspace",
        "--bin",
        "sightline",
        "--message-format=json",
    ]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    let built = build
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // `tests/run --times` sets it for the test harness only.
        .env_remove("RUSTC_BOOTSTRAP")
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    assert!(built.status.success(), "the program cannot be built");
    let messages = String::from_utf8(built.stdout).expect("cargo speaks UTF-8");
    let program = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    link_program(&program.expect("cargo names the program"))
});

fn link_program(program: &Path) -> PathBuf {
    let mut place = DefaultHasher::new();
    env!("CARGO_MANIFEST_DIR").hash(&mut place);
    let own = program.with_file_name(format!("sightline-{:x}", place.finish()));
    let fresh = own.with_extension(std::process::id().to_string());
    let _ = std::fs::remove_file(&fresh);
    std::fs::hard_link(program, &fresh).expect("a link to the program");
    std::fs::rename(&fresh, &own).expect("the link in its place");
    // Renaming a link over another one to the same file keeps both.
    let _ = std::fs::remove_file(&fresh);
    own
}

pub fn program() -> &'static Path {
    &PROGRAM
}

/// Killed when dropped.
pub struct Process {
    child: Child,
    lines: mpsc::Receiver<String>,
    output: Vec<String>,
}

/// A command of the program with only these settings in its environment.
pub fn command(folder: &Path, settings: &[(String, String)], arguments: &[&str]) -> Command {
    let mut command = Command::new(&*PROGRAM);
    command
        .args(arguments)
        .env_clear()
        .env("HOME", folder)
        .envs(settings.iter().map(|(key, value)| (key, value)))
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

/// Waits until the file contains the text; returns its content.
pub fn await_text(shown: &Path, words: &str) -> String {
    let until = Instant::now() + Duration::from_mins(5);
    loop {
        let text = std::fs::read_to_string(shown).unwrap_or_default();
        if text.contains(words) {
            return text;
        }
        assert!(Instant::now() < until, "`{words}` was not shown: {text}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

impl Process {
    /// Standard output is discarded.
    pub fn start(command: Command) -> Self {
        Self::start_with(command, Stdio::null())
    }

    /// With standard output in a file.
    pub fn start_with_stdout(command: Command, shown: File) -> Self {
        Self::start_with(command, shown.into())
    }

    fn start_with(mut command: Command, shown: Stdio) -> Self {
        let mut child = command
            .stdout(shown)
            .stderr(Stdio::piped())
            .spawn()
            .expect("sightline starts");
        let (sender, lines) = mpsc::channel();
        let errors = BufReader::new(child.stderr.take().expect("a pipe"));
        std::thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            child,
            lines,
            output: vec![],
        }
    }

    /// Waits for a line with this text on standard error.
    pub fn await_line(&mut self, words: &str) -> String {
        loop {
            let Ok(line) = self.lines.recv_timeout(Duration::from_mins(1)) else {
                panic!("`{words}` was not said:\n{}", self.output.join("\n"));
            };
            self.output.push(line.clone());
            if line.contains(words) {
                return line;
            }
        }
    }

    /// The lines of standard error so far.
    pub fn output(&mut self) -> &[String] {
        self.output.extend(self.lines.try_iter());
        &self.output
    }

    /// All of standard error, after the process ended.
    pub fn full_output(&mut self) -> String {
        self.output.extend(self.lines.iter());
        self.output.join("\n")
    }

    /// SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().expect("it was running");
        self.child.wait().expect("it is gone");
    }

    /// SIGTERM; returns the exit status and the duration.
    pub fn terminate(mut self) -> (ExitStatus, Duration) {
        let begun = Instant::now();
        self.send_sigterm();
        (self.wait(), begun.elapsed())
    }

    /// SIGTERM.
    pub fn send_sigterm(&self) {
        self.signal("-TERM");
    }

    /// SIGSTOP.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// SIGCONT.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    /// SIGHUP.
    pub fn hang_up(&self) {
        self.signal("-HUP");
    }

    fn signal(&self, signal: &str) {
        let status = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status();
        assert!(status.expect("kill runs").success());
    }

    /// Limits its files to 1 KiB, to simulate a full disk.
    pub fn fill_disk(&self) {
        self.limit_files("1024:unlimited");
    }

    /// Removes the limit.
    pub fn lift_file_limit(&self) {
        self.limit_files("unlimited");
    }

    fn limit_files(&self, to: &str) {
        let limited = Command::new("prlimit")
            .args(["--pid", &self.child.id().to_string()])
            .arg(format!("--fsize={to}"))
            .status();
        assert!(limited.expect("prlimit runs").success());
    }

    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
