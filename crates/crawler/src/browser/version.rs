use super::{process::drops_privileges, settings::BrowserSettings};
use std::{path::Path, process::Stdio, time::Duration};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::time::timeout;

const VERSION_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes read of the version output.
const MAX_VERSION_BYTES: u64 = 200;

/// The browser's version line, such as `Chromium 140.0.7339.185 built on Debian`; `None` without one.
pub async fn browser_version(program: &Path, settings: &BrowserSettings) -> Option<String> {
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
    if drops_privileges() {
        let (user, group) = settings.unprivileged;
        command.uid(user).gid(group);
    }
    let mut child = command.spawn().ok()?;
    timeout(VERSION_TIMEOUT, first_line(&mut child))
        .await
        .ok()?
}

async fn first_line(child: &mut Child) -> Option<String> {
    let mut bytes = Vec::new();
    let out = child.stdout.take()?;
    out.take(MAX_VERSION_BYTES)
        .read_to_end(&mut bytes)
        .await
        .ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().next()?.trim();
    let printable = line.chars().filter(|it| !it.is_control());
    Some(printable.collect::<String>()).filter(|it| !it.is_empty())
}
