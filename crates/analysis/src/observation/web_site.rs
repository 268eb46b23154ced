//! A web site as the crawler saw it.

use serde::{Deserialize, Serialize};

/// One thing a crawl has seen, small enough to be recorded by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CrawlStep {}

/// Everything a crawl has seen.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteObservation {}
