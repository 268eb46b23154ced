use super::{Secret, WebAddress};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Page speed. Field data comes from `CrUX` when it has a key, and from `PageSpeed Insights` when that has one (the
/// second stands in for the first); loads are those of a local browser, else of `PageSpeed Insights`, else only files are
/// read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VitalsSettings {
    /// Pages of a site at the most, the home page included.
    pub max_pages: u32,
    pub crux: CruxSettings,
    pub page_speed: PageSpeedSettings,
    pub lab: LabSettings,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CruxSettings {
    pub api_key: Option<Secret>,
    pub base_url: WebAddress,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PageSpeedSettings {
    pub api_key: Option<Secret>,
    pub base_url: WebAddress,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabSettings {
    /// The browser's program; the first of the usual places when left out.
    pub browser: Option<PathBuf>,
    pub runs: u32,
    pub sandbox: SandboxChoice,
    /// Where running browsers keep their files; the system's folder for temporary files when left out.
    pub folder: Option<PathBuf>,
    /// Seconds after which a page that is not quiet yet is measured as it is.
    pub load_seconds: u32,
    /// Seconds after which a load is ended, the browser's start and end included.
    pub run_seconds: u32,
    pub memory_mib: u32,
    pub traffic_mib: u32,
}

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
