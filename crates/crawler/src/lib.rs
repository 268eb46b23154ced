//! Polite reading of web sites: robots.txt, sitemaps, the address guard, page facts.
//!
//! [`PoliteReader`] implements the port `domain::ports::site_reader::SiteReader`. Hostile or broken sites become
//! facts in the observation, never a crash or a hang.

mod addresses;
mod browser;
mod check;
mod crawl;
pub mod extract;
mod fetch;
mod frontier;
mod guard;
mod journal;
mod limits;
mod page_access;
mod politeness;
mod reader;
mod robots;
mod settings;
mod sitemap;
mod soft_404;

pub use addresses::is_public;
pub use browser::{
    Browser, BrowserSandbox, BrowserSettings, DEFAULT_BROWSER_PATHS, Event, LabRunner, Message,
    Protocol, ProtocolError, StaticReader,
};
pub use extract::read_structured_data;
pub use fetch::denial_reason;
pub use guard::{Denied, vet_url};
pub use limits::FetchLimits;
pub use reader::PoliteReader;
pub use robots::{AiRobots, RobotsRules};
pub use settings::{CrawlerSettings, Resolve};
pub use sitemap::{LastModified, Sitemap, SitemapEntry};
