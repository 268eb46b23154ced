//! Whose turn it is to ask a web site, over all processes that share a database.

use super::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// A site, as turns are counted by: a hash, so that the table is no list of what is read, and its rows
/// are spread evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SiteHash(pub [u8; 32]);

impl SiteHash {
    /// A turn that was free for so long is forgotten: nobody waits for it.
    pub const FORGOTTEN_AFTER: TimeDelta = TimeDelta::days(1);

    pub fn of(site: &str) -> Self {
        Self(Sha256::digest(site).into())
    }
}

/// Hands out moments at which a site may be asked, each once. They are moments of one clock, the
/// storage's, and are told as waits: processes whose clocks differ keep the distance all the same.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SiteTurns: Send + Sync {
    /// Takes the site's next free moment; returns the wait until then. The one after it is `distance` later.
    async fn take(&self, site: SiteHash, distance: Duration) -> Result<Duration, StorageError>;
    /// Hands out no moment of the site before so much time has passed. Who has one already keeps it.
    async fn pause(&self, site: SiteHash, time: Duration) -> Result<(), StorageError>;
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SiteTurnRepository: Send {
    /// Forgets up to `most` sites whose next moment was free before that one.
    async fn forget_before(&mut self, time: DateTime<Utc>, most: u32) -> Result<u64, StorageError>;
}
