//! Idempotent requests: looks up, replays and stores responses.

use super::Core;
use crate::idempotency::{IdempotencyRecord, OnceOnly, Repeat, StoredAnswer};
use crate::ids::AccountId;
use crate::ports::storage::{StorageError, Transaction};
use chrono::{DateTime, TimeDelta, Utc};
use std::fmt;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Key unused: execute.
    Nothing,
    /// Same request: replay this response.
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

    /// Stores the response to a request without effect (a refusal that depends on stored data, or a
    /// dry run), unless another request with the key was faster. Effects store theirs in the same
    /// transaction, by a [`Receipt`].
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

/// Stores the response in the transaction of the request's effect, so that both exist or neither.
/// Present if the request has a key.
pub struct Receipt<'a, T> {
    pub request: &'a OnceOnly,
    /// Builds the response from the outcome.
    pub answer: &'a (dyn Fn(&T) -> StoredAnswer + Sync),
}

// `derive` would require `T: Copy`, which is not needed.
impl<T> Clone for Receipt<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Receipt<'_, T> {}

/// Another request with the same key was executed since the lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the key was used by another request a moment ago")]
pub struct UsedMeanwhile;

impl<T> Receipt<'_, T> {
    /// Checks the key again in the transaction, under the lock that the effect needs anyway.
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

    /// Stores the response and purges the account's expired records.
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

    /// Stores the response only, if a later step purges the account's expired records.
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

/// Adds a record; `false` if the key has an unexpired one.
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

/// Purges the account's expired records.
pub(super) async fn forget_old(
    work: &mut dyn Transaction,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    // A record expires when its age reaches `KEPT_FOR` exactly, so the cutoff is inclusive.
    let over = now - IdempotencyRecord::KEPT_FOR + TimeDelta::microseconds(1);
    work.idempotency().forget_before(account, over).await?;
    Ok(())
}
