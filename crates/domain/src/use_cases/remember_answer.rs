//! Remembers the answer to a request that came with an idempotency key and changed nothing: a
//! refusal that depends on what is stored, or a dry run. What has an effect is remembered with it,
//! by a [`Receipt`](crate::idempotency::Receipt).

use crate::{
    idempotency::{OnceOnly, StoredAnswer, remember},
    ids::AccountId,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
};
use std::sync::Arc;

pub struct RememberAnswer {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

impl RememberAnswer {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Remembers it, unless another request with the key was quicker.
    pub async fn run(
        &self,
        account: AccountId,
        request: &OnceOnly,
        answer: &StoredAnswer,
    ) -> Result<(), StorageError> {
        retrying(self.storage.as_ref(), || {
            self.once(account, request, answer)
        })
        .await
    }

    async fn once(
        &self,
        account: AccountId,
        request: &OnceOnly,
        answer: &StoredAnswer,
    ) -> Result<(), StorageError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        let known = work.idempotency().find(account, &request.key).await?;
        if known.is_some_and(|it| !it.is_over(now)) {
            return Ok(());
        }
        remember(work.as_mut(), account, request, answer.clone(), now).await?;
        work.commit().await
    }
}
