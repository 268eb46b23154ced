//! Idempotency records: what a key was first used for, and what was answered.

use crate::ids::{AccountId, TokenId};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

/// SHA-256 of what a request asks: method, path and canonical body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of a request; parts are told apart by their lengths.
    #[must_use]
    pub fn of(method: &str, path: &str, canonical_body: &[u8]) -> Self {
        let mut hash = Sha256::new();
        for part in [method.as_bytes(), path.as_bytes(), canonical_body] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// A request that was executed, kept so that a repeat is answered without being executed again.
/// Written in the transaction of the effect: there is either both or neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// Whose key it is.
    pub account: AccountId,
    /// The caller's key.
    pub key: String,
    /// What was asked.
    pub fingerprint: Fingerprint,
    /// With which token.
    pub token: TokenId,
    /// The answer's status.
    pub status: u16,
    /// The answer's `Location`, when it had one.
    pub location: Option<String>,
    /// The answer's body.
    pub body: String,
    /// When it was first used.
    pub first_used_at: DateTime<Utc>,
}

/// What a key that comes again means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// The same request: answer as before.
    Replay,
    /// Another request under the same key: refuse.
    Reused,
    /// The record is over: the key is free again.
    Expired,
}

impl IdempotencyRecord {
    /// How long a key is remembered.
    pub const KEPT_FOR: TimeDelta = TimeDelta::hours(24);

    /// What it means that this key comes with that request now.
    #[must_use]
    pub fn judge(&self, fingerprint: Fingerprint, now: DateTime<Utc>) -> Repeat {
        if self.first_used_at + Self::KEPT_FOR <= now {
            return Repeat::Expired;
        }
        if self.fingerprint == fingerprint {
            Repeat::Replay
        } else {
            Repeat::Reused
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::clock::Clock, test_support::FrozenClock};

    #[test]
    fn a_key_is_replayed_for_the_same_request_refused_for_another_and_free_after_a_day() {
        let now = FrozenClock::default().now();
        let asked = Fingerprint::of("POST", "/projects", b"{}");
        let record = IdempotencyRecord {
            account: AccountId(1),
            key: "k".into(),
            fingerprint: asked,
            token: TokenId(1),
            status: 201,
            location: None,
            body: "{}".into(),
            first_used_at: now,
        };
        let tick = TimeDelta::microseconds(1);
        let day = IdempotencyRecord::KEPT_FOR;
        assert_eq!(record.judge(asked, now + day - tick), Repeat::Replay);
        assert_eq!(
            record.judge(Fingerprint::of("POST", "/projects{}", b""), now),
            Repeat::Reused
        );
        assert_eq!(record.judge(asked, now + day), Repeat::Expired);
    }
}
