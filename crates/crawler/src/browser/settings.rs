use domain::ports::page_speed::NotConfigured;
use std::{path::PathBuf, time::Duration};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowserSettings {
    /// The executable; `None` for the first existing one of [`DEFAULT_BROWSER_PATHS`].
    pub browser: Option<PathBuf>,
    pub runs: u32,
    /// Where browsers keep their profiles (the unprivileged user needs access); `None` for the temporary directory.
    pub folder: Option<PathBuf>,
    /// Pause after the browser's start: without it, FCP is 0.2 s later on two busy cores.
    pub warm_up: Duration,
    /// How long a page must be quiet to count as loaded: Time to Interactive needs 5 s, Lighthouse waits 5.25 s.
    pub quiet: Duration,
    /// Time limit for becoming quiet; afterwards the page is measured anyway, with a warning.
    pub load_limit: Duration,
    /// Time limit for a rendered page to become idle; afterwards it is read anyway.
    pub render_limit: Duration,
    /// Time limit of one run, browser start and end included.
    pub run_limit: Duration,
    /// Resident bytes of all browser processes; beyond it the browser is killed.
    pub memory_limit: u64,
    /// Bytes sent and received per load.
    pub traffic_limit: u64,
    pub sandbox: BrowserSandbox,
    /// User and group id of the browser when Sightline runs as root.
    pub unprivileged: (u32, u32),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BrowserSandbox {
    /// Without a working sandbox nothing is loaded.
    #[default]
    Required,
    /// For machines that allow no sandbox, and trusted pages only.
    Off,
}

/// Usual install locations; the executable precedes its wrapper script.
pub const DEFAULT_BROWSER_PATHS: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/usr/bin/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/bin/chromium-browser",
    "/opt/google/chrome/chrome",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
];

/// `nobody` and `nogroup`.
const UNPRIVILEGED_IDS: (u32, u32) = (65_534, 65_534);

const GIB: u64 = 1024 * 1024 * 1024;

impl Default for BrowserSettings {
    fn default() -> Self {
        Self {
            browser: None,
            runs: 5,
            folder: None,
            warm_up: Duration::from_secs(2),
            quiet: Duration::from_millis(5_250),
            load_limit: Duration::from_secs(45),
            render_limit: Duration::from_secs(10),
            run_limit: Duration::from_secs(90),
            memory_limit: 3 * GIB,
            traffic_limit: GIB / 4,
            sandbox: BrowserSandbox::Required,
            unprivileged: UNPRIVILEGED_IDS,
        }
    }
}

impl BrowserSettings {
    pub fn program(&self) -> Option<PathBuf> {
        let usual = DEFAULT_BROWSER_PATHS.iter().map(PathBuf::from);
        let named = self.browser.iter().cloned();
        if self.browser.is_some() {
            return named.into_iter().find(|it| it.is_file());
        }
        usual.into_iter().find(|it| it.is_file())
    }

    /// `None` when a browser is found; `without` says what happens without one.
    pub(crate) fn missing(&self, without: &str) -> Option<NotConfigured> {
        if self.program().is_some() {
            return None;
        }
        let missing = match &self.browser {
            Some(program) => format!("there is no browser at {}", program.display()),
            None => "there is no Chromium on this machine".to_owned(),
        };
        Some(NotConfigured {
            missing,
            remedy: format!(
                "install it (on Debian: apt-get install chromium) or name its program in the lab's settings; {without}"
            ),
        })
    }
}
