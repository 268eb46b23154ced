use domain::ports::page_speed::NotConfigured;
use std::{path::PathBuf, time::Duration};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabSettings {
    /// The browser's program; `None` for the first of [`USUAL_PLACES`] that is there.
    pub browser: Option<PathBuf>,
    pub runs: u32,
    /// Where running browsers keep files (the unprivileged user needs access); `None`: the system's temporary folder.
    pub folder: Option<PathBuf>,
    /// How long a browser that just started is left alone: on two busy cores it costs a fifth of a second of FCP.
    pub settling: Duration,
    /// How long all is quiet before a page counts as loaded: Time to Interactive needs 5 s, Lighthouse waits 5.25 s.
    pub quiet: Duration,
    /// How long a page may take to get there; then it is measured as it is, and the record says so.
    pub load_limit: Duration,
    /// How long a page that is only shown has to come to rest; then it is read as it is.
    pub render_limit: Duration,
    /// How long one load may take, the browser's start and end included; then it is killed.
    pub run_limit: Duration,
    /// Resident memory of all processes of the browser together, bytes; then it is killed.
    pub memory_limit: u64,
    /// Bytes that a load may send and receive.
    pub traffic_limit: u64,
    pub sandbox: BrowserSandbox,
    /// When Sightline runs as root: the user and group the browser runs as instead.
    pub unprivileged: (u32, u32),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BrowserSandbox {
    /// On; without it nothing is loaded.
    #[default]
    Required,
    /// Off: for machines that allow none, and pages that are trusted.
    Off,
}

/// Where Debian and others put Chromium. The program itself comes before the script around it.
pub const USUAL_PLACES: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/usr/bin/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/bin/chromium-browser",
    "/opt/google/chrome/chrome",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
];

/// `nobody` and `nogroup`.
const NOBODY: (u32, u32) = (65_534, 65_534);

const GIB: u64 = 1024 * 1024 * 1024;

impl Default for LabSettings {
    fn default() -> Self {
        Self {
            browser: None,
            runs: 5,
            folder: None,
            settling: Duration::from_secs(2),
            quiet: Duration::from_millis(5_250),
            load_limit: Duration::from_secs(45),
            render_limit: Duration::from_secs(10),
            run_limit: Duration::from_secs(90),
            memory_limit: 3 * GIB,
            traffic_limit: GIB / 4,
            sandbox: BrowserSandbox::Required,
            unprivileged: NOBODY,
        }
    }
}

impl LabSettings {
    pub fn program(&self) -> Option<PathBuf> {
        let usual = USUAL_PLACES.iter().map(PathBuf::from);
        let named = self.browser.iter().cloned();
        if self.browser.is_some() {
            return named.into_iter().find(|it| it.is_file());
        }
        usual.into_iter().find(|it| it.is_file())
    }

    /// What it would take to have a browser, and what is done without; `None` when there is one.
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
