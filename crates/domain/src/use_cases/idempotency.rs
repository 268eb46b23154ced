//! Idempotent requests: looks up, replays and stores responses.

use super::Core;
use crate::idempotency::{IdempotencyRecord, IdempotentRequest, KeyStatus, StoredResponse};
use crate::ids::AccountId;
use crate::ports::storage::{StorageError, Transaction};
use chrono::{DateTime, TimeDelta, Utc};
use std::fmt;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotencyLookup {
    /// Key unused: execute.
    Unused,
    /// Same request: replay this response.
    Replay(StoredResponse),
    Reused {
        first_used_at: DateTime<Utc>,
    },
}

impl Core {
    pub async fn find_stored_response(
        &self,
        account: AccountId,
        request: &IdempotentRequest,
    ) -> Result<IdempotencyLookup, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(record) = read.idempotency().find(account, &request.key).await? else {
            return Ok(IdempotencyLookup::Unused);
        };
        Ok(
            match record.key_status(request.fingerprint, self.clock.now()) {
                KeyStatus::Expired => IdempotencyLookup::Unused,
                KeyStatus::Replay => IdempotencyLookup::Replay(record.response),
                KeyStatus::Reused => IdempotencyLookup::Reused {
                    first_used_at: record.first_used_at,
                },
            },
        )
    }

    /// Stores the response to a request without effect (a refusal that depends on stored data, or a
    /// dry run), unless another request with the key was faster. Effects store theirs in the same
    /// transaction, by a [`IdempotencyWriter`].
    pub async fn store_response(
        &self,
        account: AccountId,
        request: &IdempotentRequest,
        answer: &StoredResponse,
    ) -> Result<(), StorageError> {
        let keep = |mut work: Box<dyn Transaction>, now| async move {
            purge_expired_records(work.as_mut(), account, now).await?;
            insert_record(work.as_mut(), account, request, answer.clone(), now).await?;
            work.commit().await
        };
        self.transaction_with_time(keep).await
    }
}

/// Stores the response in the transaction of the request's effect, so that both exist or neither.
/// Present if the request has a key.
pub struct IdempotencyWriter<'a, T> {
    pub request: &'a IdempotentRequest,
    /// Builds the response from the outcome.
    pub to_response: &'a (dyn Fn(&T) -> StoredResponse + Sync),
}

// `derive` would require `T: Copy`, which is not needed.
impl<T> Clone for IdempotencyWriter<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for IdempotencyWriter<'_, T> {}

/// Another request with the same key was executed since the lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the key was used by another request a moment ago")]
pub struct KeyUsedConcurrently;

impl<T> IdempotencyWriter<'_, T> {
    /// Checks the key again in the transaction, under the lock that the effect needs anyway.
    pub async fn ensure_unused<E>(
        &self,
        work: &mut dyn Transaction,
        account: AccountId,
        now: DateTime<Utc>,
    ) -> Result<(), E>
    where
        E: From<KeyUsedConcurrently> + From<StorageError>,
    {
        let found = work.idempotency().find(account, &self.request.key).await?;
        match found.map(|it| it.key_status(self.request.fingerprint, now)) {
            None | Some(KeyStatus::Expired) => Ok(()),
            Some(KeyStatus::Replay | KeyStatus::Reused) => Err(KeyUsedConcurrently.into()),
        }
    }

    /// Stores the response and purges the account's expired records.
    pub async fn store<E>(
        &self,
        work: &mut dyn Transaction,
        account: AccountId,
        now: DateTime<Utc>,
        outcome: &T,
    ) -> Result<(), E>
    where
        E: From<KeyUsedConcurrently> + From<StorageError>,
    {
        purge_expired_records(work, account, now).await?;
        self.store_only(work, account, now, outcome).await
    }

    /// Stores the response only, if a later step purges the account's expired records.
    pub async fn store_only<E>(
        &self,
        work: &mut dyn Transaction,
        account: AccountId,
        now: DateTime<Utc>,
        outcome: &T,
    ) -> Result<(), E>
    where
        E: From<KeyUsedConcurrently> + From<StorageError>,
    {
        let answer = (self.to_response)(outcome);
        if insert_record(work, account, self.request, answer, now).await? {
            Ok(())
        } else {
            Err(KeyUsedConcurrently.into())
        }
    }
}

impl<T> fmt::Debug for IdempotencyWriter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IdempotencyWriter")
            .field(self.request)
            .finish()
    }
}

/// Adds a record; `false` if the key has an unexpired one.
async fn insert_record(
    work: &mut dyn Transaction,
    account: AccountId,
    request: &IdempotentRequest,
    answer: StoredResponse,
    now: DateTime<Utc>,
) -> Result<bool, StorageError> {
    let record = IdempotencyRecord {
        account,
        key: request.key.clone(),
        fingerprint: request.fingerprint,
        caller: request.caller,
        response: answer,
        first_used_at: now,
    };
    let over = now - IdempotencyRecord::RETENTION;
    work.idempotency().store(&record, over).await
}

/// Purges the account's expired records.
pub(super) async fn purge_expired_records(
    work: &mut dyn Transaction,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    // A record expires when its age reaches `RETENTION` exactly, so the cutoff is inclusive.
    let over = now - IdempotencyRecord::RETENTION + TimeDelta::microseconds(1);
    work.idempotency().purge_before(account, over).await?;
    Ok(())
}
