//! Whether a request with an idempotency key was executed before, and what is answered then.

use super::Core;
use crate::idempotency::{IdempotencyRecord, OnceOnly, Repeat, StoredAnswer};
use crate::ids::AccountId;
use crate::ports::storage::{StorageError, Transaction};
use chrono::{DateTime, TimeDelta, Utc};
use std::fmt;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing yet: execute.
    Nothing,
    /// This request: answer as then.
    Answered(StoredAnswer),
    Reused {
        first_used_at: DateTime<Utc>,
    },
}

impl Core {
    pub async fn look_up_repeat(
        &self,
        account: AccountId,
        request: &OnceOnly,
    ) -> Result<Found, StorageError> {
        let mut read = self.storage.read().await?;
        let Some(record) = read.idempotency().find(account, &request.key).await? else {
            return Ok(Found::Nothing);
        };
        Ok(match record.judge(request.fingerprint, self.clock.now()) {
            Repeat::Expired => Found::Nothing,
            Repeat::Replay => Found::Answered(record.answer),
            Repeat::Reused => Found::Reused {
                first_used_at: record.first_used_at,
            },
        })
    }

    /// Remembers the answer to a request that changed nothing: a refusal that depends on what is stored, or a dry
    /// run; unless another request with the key was quicker. What has an effect is remembered with it, by a
    /// [`Receipt`].
    pub async fn remember_answer(
        &self,
        account: AccountId,
        request: &OnceOnly,
        answer: &StoredAnswer,
    ) -> Result<(), StorageError> {
        let keep = |mut work: Box<dyn Transaction>, now| async move {
            forget_old(work.as_mut(), account, now).await?;
            remember(work.as_mut(), account, request, answer.clone(), now).await?;
            work.commit().await
        };
        self.transaction_at(keep).await
    }
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
    pub async fn keep<E>(
        &self,
        work: &mut dyn Transaction,
        account: AccountId,
        now: DateTime<Utc>,
        outcome: &T,
    ) -> Result<(), E>
    where
        E: From<UsedMeanwhile> + From<StorageError>,
    {
        forget_old(work, account, now).await?;
        self.add(work, account, now, outcome).await
    }

    /// Keeps the answer alone: something else soon forgets the account's records that are over.
    pub async fn add<E>(
        &self,
        work: &mut dyn Transaction,
        account: AccountId,
        now: DateTime<Utc>,
        outcome: &T,
    ) -> Result<(), E>
    where
        E: From<UsedMeanwhile> + From<StorageError>,
    {
        let answer = (self.answer)(outcome);
        if remember(work, account, self.request, answer, now).await? {
            Ok(())
        } else {
            Err(UsedMeanwhile.into())
        }
    }
}

impl<T> fmt::Debug for Receipt<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Receipt").field(self.request).finish()
    }
}

/// Adds a record; `false` when the key has one that is not over.
async fn remember(
    work: &mut dyn Transaction,
    account: AccountId,
    request: &OnceOnly,
    answer: StoredAnswer,
    now: DateTime<Utc>,
) -> Result<bool, StorageError> {
    let record = IdempotencyRecord {
        account,
        key: request.key.clone(),
        fingerprint: request.fingerprint,
        caller: request.caller,
        answer,
        first_used_at: now,
    };
    let over = now - IdempotencyRecord::KEPT_FOR;
    work.idempotency().keep(&record, over).await
}

/// Forgets the account's records that are over.
pub(super) async fn forget_old(
    work: &mut dyn Transaction,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    // The youngest that is over is as old as a record may become, not older.
    let over = now - IdempotencyRecord::KEPT_FOR + TimeDelta::microseconds(1);
    work.idempotency().forget_before(account, over).await?;
    Ok(())
}
