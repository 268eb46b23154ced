use providers::vitals::{CruxSettings, PageSpeedSettings};
use serde::{Deserialize, Serialize};
use setting::{Mistakes, Within, settings};
use std::path::PathBuf;

settings! {
    /// Page speed. Field data comes from `CrUX` when it has a key, and from `PageSpeed Insights` when that has one (the
    /// second stands in for the first); loads are those of a local browser, else of `PageSpeed Insights`, else only files
    /// are read.
    pub struct VitalsSettings {
        /// Pages of a site at the most, the home page included.
        pub max_pages: Within<1, 100> = Within(10),
        pub crux: CruxSettings,
        pub page_speed: PageSpeedSettings,
        pub lab: LabSettings,
    }
}

settings! {
    pub struct LabSettings {
        /// The browser's program; the first of the usual places when left out.
        pub browser: Option<PathBuf>,
        pub runs: Within<1, 25> = Within(5),
        pub sandbox: SandboxChoice = SandboxChoice::Required,
        /// Where running browsers keep their files; the system's folder for temporary files when left out.
        pub folder: Option<PathBuf>,
        /// Seconds after which a page that is not quiet yet is measured as it is.
        pub load_seconds: Within<10, 600> = Within(45),
        /// Seconds after which a load is ended, the browser's start and end included.
        pub run_seconds: u32 = 90,
        pub memory_mib: Within<16, 65_536> = Within(3_072),
        pub traffic_mib: Within<16, 65_536> = Within(256),
    }
    rules LabSettings::a_load_ends_after_the_page_had_its_time
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxChoice {
    /// On; without it nothing is loaded.
    Required,
    /// Off: for machines that allow none, and pages that are trusted.
    Off,
}

setting::taken_as_read!(SandboxChoice);

impl LabSettings {
    fn a_load_ends_after_the_page_had_its_time(&self, key: &str, mistakes: &mut Mistakes) {
        let least = self.load_seconds.0.saturating_add(10);
        let run = self.run_seconds;
        if !(least..=1_200).contains(&run) {
            let allowed = format!("{least} ({key}.load_seconds and 10 more) to 1200");
            mistakes.add(&format!("{key}.run_seconds"), run.to_string(), allowed);
        }
    }
}
