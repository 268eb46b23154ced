//! Polite reading of web sites: robots.txt, sitemaps, the address guard, page facts.
//!
//! [`PoliteReader`] implements the port `domain::ports::site_reader::SiteReader`. Hostile or broken sites become
//! facts in the observation, never a crash or a hang.

mod addresses;
mod browser;
mod check;
mod crawl;
mod door;
pub mod extract;
mod fetch;
mod frontier;
mod guard;
mod journal;
mod limits;
mod politeness;
mod reader;
mod robots;
mod settings;
mod sitemap;
mod soft_404;

pub use addresses::is_public;
pub use browser::{
    Browser, BrowserLab, BrowserSandbox, Event, LabSettings, Message, Protocol, ProtocolError,
    StaticReader, USUAL_PLACES,
};
pub use extract::read_structured_data;
pub use fetch::why_denied;
pub use guard::{Denied, vet_url};
pub use limits::FetchLimits;
pub use reader::PoliteReader;
pub use robots::{AiRobots, RobotsRules};
pub use settings::{CrawlerSettings, Resolve};
pub use sitemap::{LastModified, Sitemap, SitemapEntry};
