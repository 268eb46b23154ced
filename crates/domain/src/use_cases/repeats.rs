//! Whether a request with an idempotency key was executed before, and what is answered then.

use super::Core;
use crate::{
    idempotency::{OnceOnly, Repeat, StoredAnswer, remember},
    ids::AccountId,
    ports::storage::{StorageError, Transaction},
};
use chrono::{DateTime, Utc};

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
    /// [`Receipt`](crate::idempotency::Receipt).
    pub async fn remember_answer(
        &self,
        account: AccountId,
        request: &OnceOnly,
        answer: &StoredAnswer,
    ) -> Result<(), StorageError> {
        let keep = |mut work: Box<dyn Transaction>, now| async move {
            let known = work.idempotency().find(account, &request.key).await?;
            if known.is_some_and(|it| !it.is_over(now)) {
                return Ok(());
            }
            remember(work.as_mut(), account, request, answer.clone(), now).await?;
            work.commit().await
        };
        self.transaction_at(keep).await
    }
}
