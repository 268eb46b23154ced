//! Generated sites: one without faults, and for every code of the catalog one with exactly that fault. Tests read
//! them from memory or over HTTP.

mod edge_cases;
mod faults;
mod page;
mod prose;
mod site;

pub use edge_cases::edge_cases;
pub use faults::{VitalsFault, fault_site};
pub use site::{Answer, Failing, GeneratedSite, SiteSpec, faultless};
