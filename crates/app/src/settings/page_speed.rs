use providers::vitals::{CruxSettings, PageSpeedSettings};
use serde::{Deserialize, Serialize};
use setting::{Mistakes, Within, settings};
use std::path::PathBuf;

settings! {
    /// Page speed. Field data comes from `CrUX`, else from `PageSpeed Insights`, if they have keys; lab data from a
    /// local browser, else from `PageSpeed Insights`, else only files are analyzed.
    pub struct VitalsSettings {
        /// Pages of a run, with the home page; 1 to 100.
        pub max_pages: Within<1, 100> = Within(10),
        pub crux: CruxSettings,
        pub page_speed: PageSpeedSettings,
        pub lab: LabSettings,
    }
}

settings! {
    pub struct LabSettings {
        /// Path of Chromium; default: usual paths.
        pub browser: Option<PathBuf>,
        /// Loads of a page for each device; the median counts.
        pub runs: Within<1, 25> = Within(5),
        /// `required`, or `off` only if the machine allows no sandbox, for trusted pages.
        pub sandbox: SandboxChoice = SandboxChoice::Required,
        /// Browser files; default: the folder for temporary files.
        pub folder: Option<PathBuf>,
        /// Time until a page is measured although not idle.
        pub load_seconds: Within<10, 600> = Within(45),
        /// Timeout of a load, with start and end of the browser; `load_seconds` + 10 to 1200.
        pub run_seconds: u32 = 90,
        /// Memory of a browser with its processes.
        pub memory_mib: Within<16, 65_536> = Within(3_072),
        /// Traffic of a load.
        pub traffic_mib: Within<16, 65_536> = Within(256),
    }
    rules LabSettings::check_run_length
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxChoice {
    /// Nothing is loaded without a sandbox.
    Required,
    /// For machines without sandbox support, and trusted pages.
    Off,
}

setting::impl_unchecked_setting!(SandboxChoice);

impl LabSettings {
    fn check_run_length(&self, key: &str, mistakes: &mut Mistakes) {
        let min_seconds = self.load_seconds.0.saturating_add(10);
        let run = self.run_seconds;
        if !(min_seconds..=1_200).contains(&run) {
            let allowed = format!("{min_seconds} ({key}.load_seconds and 10 more) to 1200");
            mistakes.add(&format!("{key}.run_seconds"), run.to_string(), allowed);
        }
    }
}
