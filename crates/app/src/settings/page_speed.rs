//! How fast pages are: who knows what visitors saw, and how pages are loaded in a browser of ours.

use super::{Secret, WebAddress};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How fast pages are. Visitors' figures come from `CrUX` when it has a key, and from `PageSpeed
/// Insights` when that has one (the second stands in for the first); loads are those of a browser
/// on this machine, else those of `PageSpeed Insights`, else files alone are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VitalsSettings {
    /// Pages of a site at the most, the home page included.
    pub max_pages: u32,
    /// Chrome's user experience report.
    pub crux: CruxSettings,
    /// PageSpeed Insights.
    pub page_speed: PageSpeedSettings,
    /// The browser.
    pub lab: LabSettings,
}

/// Chrome's user experience report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CruxSettings {
    /// The key.
    pub api_key: Option<Secret>,
    /// Where it is.
    pub base_url: WebAddress,
}

/// PageSpeed Insights.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageSpeedSettings {
    /// The key.
    pub api_key: Option<Secret>,
    /// Where it is.
    pub base_url: WebAddress,
}

/// The browser that loads pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabSettings {
    /// Its program; the first of the usual places when left out.
    pub browser: Option<PathBuf>,
    /// Loads of each page on each kind of device.
    pub runs: u32,
    /// The browser's own sandbox.
    pub sandbox: SandboxChoice,
    /// Where browsers keep their files while they run; the system's folder for temporary files when
    /// left out.
    pub folder: Option<PathBuf>,
    /// Seconds after which a page that is not quiet yet is measured as it is.
    pub load_seconds: u32,
    /// Seconds after which a load is ended, the browser's start and end included.
    pub run_seconds: u32,
    /// MiB of memory that a browser may take.
    pub memory_mib: u32,
    /// MiB that a load may send and receive.
    pub traffic_mib: u32,
}

/// The wall between a page and the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxChoice {
    /// On; without it nothing is loaded.
    Required,
    /// Off: for machines that allow none, and pages that are trusted.
    Off,
}

impl Default for VitalsSettings {
    fn default() -> Self {
        Self {
            max_pages: 10,
            crux: CruxSettings::default(),
            page_speed: PageSpeedSettings::default(),
            lab: LabSettings::default(),
        }
    }
}

impl Default for CruxSettings {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: WebAddress::fixed("https://chromeuxreport.googleapis.com"),
        }
    }
}

impl Default for PageSpeedSettings {
    fn default() -> Self {
        Self {
            api_key: None,
            base_url: WebAddress::fixed("https://www.googleapis.com"),
        }
    }
}

impl Default for LabSettings {
    fn default() -> Self {
        Self {
            browser: None,
            runs: 5,
            sandbox: SandboxChoice::Required,
            folder: None,
            load_seconds: 45,
            run_seconds: 90,
            memory_mib: 3_072,
            traffic_mib: 256,
        }
    }
}
