//! The browser's process. It ends with ours: its pipe closes, however we went.

use super::wire::Wire;
use std::{
    fs,
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, LazyLock},
};
use tempfile::TempDir;

/// Moves the pipes to where the browser expects them (3 and 4), and clears up behind it: this process
/// may be gone by then.
const START: &str =
    r#"trap '' INT; "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null; rm -rf "$HOME""#;

const PLACES: [&str; 4] = [
    "/usr/lib/chromium/chromium",
    "/usr/bin/chromium",
    "/usr/bin/google-chrome",
    "/opt/google/chrome/chrome",
];

/// It asks nobody anything, finds loopback alone, and goes on although nobody looks.
const FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--disable-extensions",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,HttpsUpgrades,PasswordLeakDetection,LocalNetworkAccessChecks",
    "--disable-save-password-bubble",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--lang=en-US",
    "--password-store=basic",
    "--use-mock-keychain",
    "--no-pings",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
];

static BROWSER: LazyLock<Arc<Wire>> = LazyLock::new(start);

/// The browser that all tests of this process share.
pub fn browser() -> Arc<Wire> {
    Arc::clone(&BROWSER)
}

/// `nobody` and `nogroup`: no page runs as root.
const NOBODY: u32 = 65_534;

fn start() -> Arc<Wire> {
    let program = PLACES.into_iter().find(|it| Path::new(it).exists());
    let program = program.expect("the tests need Chromium (apt-get install chromium)");
    let profile = TempDir::with_prefix("sightline-chromium-").expect("a folder");
    // The shell around the browser, not this process, removes the folder: it lives longer.
    let home = profile.keep();
    let is_root = fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0);
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", START, program])
        .args(FLAGS)
        .arg(format!("--user-data-dir={}", home.display()))
        .env_clear()
        .envs([
            ("PATH", "/usr/bin:/bin"),
            ("LANG", "en_US.UTF-8"),
            ("TZ", "UTC"),
            // Its own folder, too, as a relative path: the path of a socket has at most 107 bytes.
            ("TMPDIR", "."),
        ])
        .envs(["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"].map(|it| (it, &home)))
        .current_dir(&home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0);
    if is_root {
        chown(&home, Some(NOBODY), Some(NOBODY)).expect("a folder of nobody's");
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child = command.spawn().expect("Chromium starts");
    let (to, from) = (child.stdin.take(), child.stdout.take());
    let wire = Wire::new(to.expect("a pipe"), from.expect("a pipe"));
    // Whoever waits for it keeps it from staying as a zombie.
    std::thread::spawn(move || child.wait());
    wire
}
