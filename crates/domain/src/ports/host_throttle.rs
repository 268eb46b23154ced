//! Rate limit of a host, shared by all processes on one database.

use super::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Hash of a host. Hashed so that the table does not list the sites read, and its rows spread evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HostHash(pub [u8; 32]);

impl HostHash {
    /// Entries free for so long are deleted: no fetch waits for them.
    pub const PURGE_AFTER: TimeDelta = TimeDelta::days(1);

    pub fn of(site: &str) -> Self {
        Self(Sha256::digest(site).into())
    }
}

/// Reserves request times of a host, each once. They are on the storage's clock and returned as
/// waits, so processes with different clocks keep the distance.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait HostThrottle: Send + Sync {
    /// Reserves the host's next free time and returns the wait until then; the following one is `distance` later.
    async fn reserve(&self, site: HostHash, distance: Duration) -> Result<Duration, StorageError>;
    /// Reserves no time of the host before `time` has passed. Earlier reservations stay valid.
    async fn pause(&self, site: HostHash, time: Duration) -> Result<(), StorageError>;
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait HostThrottleRepository: Send {
    /// Deletes up to `limit` hosts with a next free time before the given one.
    async fn purge_before(&mut self, time: DateTime<Utc>, limit: u32) -> Result<u64, StorageError>;
}
