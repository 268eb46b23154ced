//! Access to single pages outside a crawl: the site's home page and robots.txt.

use super::page_speed::LabError;
use super::site_reader::{CrawlStart, UnreachableReason};
use async_trait::async_trait;

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SiteAccessProvider: Send + Sync {
    /// Begins where a crawl would. A robots.txt that forbids everything is not an error here: each
    /// page is refused when it is checked.
    async fn open(&self, start: &CrawlStart) -> Result<Box<dyn SiteAccess>, UnreachableReason>;
}

/// Access to the pages of one site. Reads its robots.txt once.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SiteAccess: Send + Sync {
    /// The home page, as an absolute URL.
    fn home(&self) -> String;
    /// Checks whether a page may be loaded: robots.txt must allow it and each URL that it redirects
    /// to, and its host must answer. Ignores the status of the answer.
    async fn check(&self, url: &str) -> Result<(), LabError>;
    /// Whether robots.txt allows the page where a load ended, which may differ from where `check` ended.
    async fn allows(&self, url: &str) -> bool;
}
