//! A web site as the crawler saw it, and the steps in which it was seen.

mod fetched;
mod links;
mod page;
mod scope;
mod step;

pub use fetched::{FetchFailure, Fetched, Hop, Truncation};
pub use links::{LinkTarget, PageLink, Placement, Position};
pub use page::{CheckState, DirectoryProbe, Discovery, TargetCheck, WebPage, name_hashes};
pub use scope::SiteScope;
pub use step::{
    CrawlStep, LimitHit, LlmsTxtFact, RobotsFact, RobotsState, SiteObservation, SitemapFact,
};
