use super::{process::runs_as_other, settings::LabSettings};
use std::{path::Path, process::Stdio, time::Duration};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(10);
/// Bytes read of the version output.
const MOST: u64 = 200;

/// The browser's version line, such as `Chromium 140.0.7339.185 built on Debian`; `None` without one.
pub async fn name_of(program: &Path, settings: &LabSettings) -> Option<String> {
    let mut command = Command::new(program);
    command
        .arg("--version")
        // The environment may contain secrets.
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8")])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    if runs_as_other() {
        let (user, group) = settings.unprivileged;
        command.uid(user).gid(group);
    }
    let mut child = command.spawn().ok()?;
    timeout(LIMIT, first_line(&mut child)).await.ok()?
}

async fn first_line(child: &mut Child) -> Option<String> {
    let mut said = Vec::new();
    let out = child.stdout.take()?;
    out.take(MOST).read_to_end(&mut said).await.ok()?;
    let said = String::from_utf8_lossy(&said);
    let line = said.lines().next()?.trim();
    let printable = line.chars().filter(|it| !it.is_control());
    Some(printable.collect::<String>()).filter(|it| !it.is_empty())
}
