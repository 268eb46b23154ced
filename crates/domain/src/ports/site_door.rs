//! The way to single pages outside a crawl: where the site begins, what its robots.txt allows.

use super::page_speed::LabError;
use super::site_reader::{CrawlStart, Unreached};
use async_trait::async_trait;

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SiteDoors: Send + Sync {
    /// The way in where a crawl would begin. A robots.txt that forbids everything is no failure here:
    /// each page is refused when it is asked for.
    async fn open(&self, start: &CrawlStart) -> Result<Box<dyn SiteDoor>, Unreached>;
}

/// The way to the pages of one site. What its robots.txt says is asked once.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SiteDoor: Send + Sync {
    /// The home page, as an absolute URL.
    fn home(&self) -> String;
    /// Whether a page may be loaded: robots.txt is asked about it and about each URL that it redirects
    /// to, and its host has to answer. The status of the answer is the load's own affair.
    async fn knock(&self, url: &str) -> Result<(), LabError>;
    /// Whether robots.txt allows the page where a load ended, which may differ from where `knock` ended.
    async fn allows(&self, url: &str) -> bool;
}
