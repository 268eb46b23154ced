mod page;
mod scope;
mod step;

pub use super::fetched::{FetchFailure, Fetched, Hop, Truncation};
pub use super::links::{Discovery, LinkTarget, PageLink, Placement, Position};
pub use page::{CheckState, DirectoryProbe, TargetCheck, WebPage, name_hashes};
pub use scope::CrawlScope;
pub use step::{
    CrawlStep, LimitHit, LlmsTxtFact, RobotsFact, RobotsState, SiteObservation, SitemapFact,
};
