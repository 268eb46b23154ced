//! A browser process group with its own profile; both are removed on drop.

use super::process_list::processes_using;
use super::protocol::Protocol;
use super::settings::{BrowserSandbox, BrowserSettings};
use domain::ports::page_speed::LabError;
use rustix::process::{Pid, Signal, geteuid, kill_process_group};
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use std::{fs, io};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// Moves the pipes to descriptors 3 and 4, where the browser expects them, disables core files, and executes the
/// browser.
const LAUNCH_SCRIPT: &str =
    r#"ulimit -c 0; exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#;

/// Flags of every browser: headless, no background network traffic, unthrottled timers.
const FLAGS: &[&str] = &[
    "--headless=new",
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
    "--hide-scrollbars",
    "--no-pings",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// More flags for untrusted pages: no network traffic of the browser's own, no audio.
const GUARDED_FLAGS: &[&str] = &[
    "--disable-default-apps",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-prompt-on-repost",
    "--disable-notifications",
    "--deny-permission-prompts",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,AutofillServerCommunication,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
    "--mute-audio",
    "--metrics-recording-only",
    // Nothing may bypass the proxy: no QUIC, no WebRTC over UDP, no resolver; loopback is not exempt.
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--proxy-bypass-list=<-loopback>",
    // In MiB: V8 ends a greedy script before the process limit applies.
    "--js-flags=--max-old-space-size=1024",
];

const PREFIX: &str = "sightline-browser-";

/// Unused profiles older than this were left by a killed process.
const STALE_AFTER: Duration = Duration::from_hours(1);

const CLEANUP_TIMEOUT: Duration = Duration::from_secs(5);

pub struct Browser {
    child: Child,
    group: Pid,
    profile: Option<TempDir>,
}

impl Browser {
    /// `gate` is the port of the egress proxy, the browser's only route.
    pub fn guarded(
        program: &Path,
        settings: &BrowserSettings,
        proxy_port: u16,
    ) -> Result<(Self, Protocol), LabError> {
        let proxy_flag = format!("--proxy-server=socks5://127.0.0.1:{proxy_port}");
        Self::start(program, &[GUARDED_FLAGS, &[&proxy_flag]].concat(), settings)
    }

    /// Network access is up to `arguments`. For tests of this product's pages.
    #[cfg(feature = "test-support")]
    pub fn unguarded(
        program: &Path,
        arguments: &[&str],
        settings: &BrowserSettings,
    ) -> Result<(Self, Protocol), LabError> {
        Self::start(program, arguments, settings)
    }

    fn start(
        program: &Path,
        arguments: &[&str],
        settings: &BrowserSettings,
    ) -> Result<(Self, Protocol), LabError> {
        let profile = create_profile(settings)
            .map_err(|it| start_error("its profile folder cannot be created", &it))?;
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", LAUNCH_SCRIPT])
            .arg(program)
            .args(arguments)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()));
        if settings.sandbox == BrowserSandbox::Off {
            command.arg("--no-sandbox");
        }
        // The environment may contain secrets; the browser gets none of it.
        command
            .env_clear()
            .envs([
                ("PATH", "/usr/bin:/bin"),
                ("LANG", "C.UTF-8"),
                ("TZ", "UTC"),
                // The profile as a relative path: a socket path has at most 107 bytes.
                ("TMPDIR", "."),
            ])
            .envs(
                [
                    "HOME",
                    "XDG_CONFIG_HOME",
                    "XDG_CACHE_HOME",
                    "XDG_RUNTIME_DIR",
                ]
                .map(|it| (it, profile.path())),
            )
            .current_dir(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        if drops_privileges() {
            let (user, group) = settings.unprivileged;
            command.uid(user).gid(group);
        }
        let mut child = command
            .spawn()
            .map_err(|it| start_error("it does not start", &it))?;
        let group = child
            .id()
            .and_then(|it| Pid::from_raw(i32::try_from(it).ok()?));
        let (Some(group), Some(to), Some(from)) = (group, child.stdin.take(), child.stdout.take())
        else {
            return Err(LabError::Browser(
                "its DevTools pipes are missing".to_owned(),
            ));
        };
        let browser = Self {
            child,
            group,
            profile: Some(profile),
        };
        Ok((browser, Protocol::new(to, from)))
    }

    pub const fn group(&self) -> Pid {
        self.group
    }

    pub async fn end(mut self) {
        self.kill();
        let _ = self.child.wait().await;
        if let Some(profile) = self.profile.take() {
            let _ = tokio::task::spawn_blocking(move || remove_profile(profile)).await;
        }
    }

    fn kill(&self) {
        // Fails only when the group is already gone.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(profile) = self.profile.take() {
            self.kill();
            // `drop` must not block; a thread may.
            std::thread::spawn(move || remove_profile(profile));
        }
    }
}

fn start_error(failure: &str, error: &io::Error) -> LabError {
    LabError::Browser(format!("{failure}: {}", error.kind()))
}

/// A browser must not run as root.
pub fn drops_privileges() -> bool {
    geteuid().is_root()
}

pub fn browser_uid(settings: &BrowserSettings) -> u32 {
    if drops_privileges() {
        settings.unprivileged.0
    } else {
        geteuid().as_raw()
    }
}

fn create_profile(settings: &BrowserSettings) -> io::Result<TempDir> {
    let folder = settings.folder.clone().unwrap_or_else(std::env::temp_dir);
    remove_stale_profiles(&folder);
    let profile = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder)?;
    if drops_privileges() {
        let (user, group) = settings.unprivileged;
        chown(profile.path(), Some(user), Some(group))?;
    }
    Ok(profile)
}

/// Removes profiles left by killed processes; their browsers ended when the pipes closed.
fn remove_stale_profiles(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let is_ours = entry
            .file_name()
            .to_str()
            .is_some_and(|it| it.starts_with(PREFIX));
        let changed = entry.metadata().and_then(|it| it.modified()).ok();
        let age = changed.and_then(|it| it.elapsed().ok());
        if is_ours
            && age.is_some_and(|it| it > STALE_AFTER)
            && processes_using(&entry.path()).is_empty()
        {
            // Best effort.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Waits until no process uses the folder (crash handlers leave the group), kills the rest, and removes it.
fn remove_profile(profile: TempDir) {
    let until = Instant::now() + CLEANUP_TIMEOUT;
    let path = profile.path().to_owned();
    while !processes_using(&path).is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    for user in processes_using(&path) {
        let _ = rustix::process::kill_process(user, Signal::KILL);
    }
    // Files may still be written during removal.
    for _ in 0..10 {
        if fs::remove_dir_all(&path).is_ok() || !path.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    if let Err(error) = profile.close() {
        tracing::warn!(%error, "a browser's profile folder could not be removed");
    }
}
