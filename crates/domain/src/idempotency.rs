//! Idempotency: what a key was first used for, and what was answered.

use crate::{
    ids::{AccountId, CallerId},
    ports::storage::{StorageError, Transaction},
};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::fmt;
use thiserror::Error;

/// SHA-256 of what a request asks: method, path and canonical body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of a request; parts are told apart by their lengths.
    pub fn of(method: &str, path: &str, canonical_body: &[u8]) -> Self {
        let mut hash = Sha256::new();
        for part in [method.as_bytes(), path.as_bytes(), canonical_body] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }
}

/// A request that is to be executed once, however often it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnceOnly {
    pub key: String,
    pub fingerprint: Fingerprint,
    pub caller: CallerId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    pub status: u16,
    /// `Location`, when it had one.
    pub location: Option<String>,
    /// `ETag`, when it had one.
    pub etag: Option<String>,
    pub body: String,
}

/// Keeps the answer to a request in the transaction of its effect: there is either both or
/// neither. Use cases take one when their request came with a key.
pub struct Receipt<'a, T> {
    pub request: &'a OnceOnly,
    /// How its outcome is answered.
    pub answer: &'a (dyn Fn(&T) -> StoredAnswer + Sync),
}

// Derived, these would ask the same of the outcome.
impl<T> Clone for Receipt<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Receipt<'_, T> {}

/// Another request with the same key was executed since this one was looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the key was used by another request a moment ago")]
pub struct UsedMeanwhile;

impl<T> Receipt<'_, T> {
    /// Looks once more, inside the transaction and behind the lock that its effect needs anyway.
    pub async fn begin<E>(
        &self,
        work: &mut dyn Transaction,
        account: AccountId,
        now: DateTime<Utc>,
    ) -> Result<(), E>
    where
        E: From<UsedMeanwhile> + From<StorageError>,
    {
        let found = work.idempotency().find(account, &self.request.key).await?;
        match found.map(|it| it.judge(self.request.fingerprint, now)) {
            None | Some(Repeat::Expired) => Ok(()),
            Some(Repeat::Replay | Repeat::Reused) => Err(UsedMeanwhile.into()),
        }
    }

    /// Keeps the answer, and forgets the account's records that are over.
    pub async fn keep(
        &self,
        work: &mut dyn Transaction,
        account: AccountId,
        now: DateTime<Utc>,
        outcome: &T,
    ) -> Result<(), StorageError> {
        let answer = (self.answer)(outcome);
        remember(work, account, self.request, answer, now).await
    }
}

impl<T> fmt::Debug for Receipt<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Receipt").field(self.request).finish()
    }
}

/// Adds a record, and forgets the account's records that are over.
pub(crate) async fn remember(
    work: &mut dyn Transaction,
    account: AccountId,
    request: &OnceOnly,
    answer: StoredAnswer,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let record = IdempotencyRecord {
        account,
        key: request.key.clone(),
        fingerprint: request.fingerprint,
        caller: request.caller,
        answer,
        first_used_at: now,
    };
    let over = now - IdempotencyRecord::KEPT_FOR;
    // The youngest that is over is as old as a record may become, not older.
    let records = work.idempotency();
    records
        .forget_before(account, over + TimeDelta::microseconds(1))
        .await?;
    records.add(&record).await.map_err(|error| match error {
        // Two requests with one key met where nothing made them wait: the whole is tried again,
        // and finds the other's record.
        StorageError::Conflict { .. } => StorageError::Interrupted(Box::new(error)),
        error => error,
    })
}

/// Written in the transaction of the request's effect: there is either both or neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRecord {
    pub account: AccountId,
    pub key: String,
    pub fingerprint: Fingerprint,
    pub caller: CallerId,
    pub answer: StoredAnswer,
    pub first_used_at: DateTime<Utc>,
}

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
    pub const KEPT_FOR: TimeDelta = TimeDelta::hours(24);

    pub fn is_over(&self, now: DateTime<Utc>) -> bool {
        self.first_used_at + Self::KEPT_FOR <= now
    }

    pub fn judge(&self, fingerprint: Fingerprint, now: DateTime<Utc>) -> Repeat {
        if self.is_over(now) {
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
            caller: CallerId(1),
            answer: StoredAnswer {
                status: 201,
                location: None,
                etag: None,
                body: "{}".into(),
            },
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
