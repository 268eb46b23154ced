//! Idempotency: the first request of a key, and its response.

use crate::ids::{AccountId, CallerId};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

/// SHA-256 of a request: method, path and canonical body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// Each part is preceded by its length, so that different parts cannot hash alike.
    pub fn of(method: &str, path: &str, canonical_body: &[u8]) -> Self {
        let mut hash = Sha256::new();
        for part in [method.as_bytes(), path.as_bytes(), canonical_body] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// A request with an idempotency key: executed once, however often it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    pub key: String,
    pub fingerprint: Fingerprint,
    pub caller: CallerId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    pub status: u16,
    /// The `Location` header.
    pub location: Option<String>,
    /// The `ETag` header.
    pub etag: Option<String>,
    pub body: String,
}

/// Written in the transaction of the request's effect, so that both exist or neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRecord {
    pub account: AccountId,
    pub key: String,
    pub fingerprint: Fingerprint,
    pub caller: CallerId,
    pub response: StoredResponse,
    pub first_used_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStatus {
    /// The same request: replay the response.
    Replay,
    /// A different request with the same key: refuse.
    Reused,
    /// The record has expired: the key is free again.
    Expired,
}

impl IdempotencyRecord {
    pub const RETENTION: TimeDelta = TimeDelta::hours(24);

    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.first_used_at + Self::RETENTION <= now
    }

    pub fn key_status(&self, fingerprint: Fingerprint, now: DateTime<Utc>) -> KeyStatus {
        if self.is_expired(now) {
            return KeyStatus::Expired;
        }
        if self.fingerprint == fingerprint {
            KeyStatus::Replay
        } else {
            KeyStatus::Reused
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::Clock, test_support::FrozenClock};

    #[test]
    fn a_key_replays_its_request_for_a_day_and_refuses_others() {
        let now = FrozenClock::default().now();
        let fingerprint = Fingerprint::of("POST", "/projects", b"{}");
        let record = IdempotencyRecord {
            account: AccountId(1),
            key: "k".into(),
            fingerprint,
            caller: CallerId(1),
            response: StoredResponse {
                status: 201,
                location: None,
                etag: None,
                body: "{}".into(),
            },
            first_used_at: now,
        };
        let tick = TimeDelta::microseconds(1);
        let day = IdempotencyRecord::RETENTION;
        assert_eq!(
            record.key_status(fingerprint, now + day - tick),
            KeyStatus::Replay
        );
        assert_eq!(
            record.key_status(Fingerprint::of("POST", "/projects{}", b""), now),
            KeyStatus::Reused
        );
        assert_eq!(
            record.key_status(fingerprint, now + day),
            KeyStatus::Expired
        );
    }
}
