//! Counting guesses before they are looked at.

use crate::{
    ports::{
        clock::Clock,
        storage::{AsStorageError, Storage, StorageError, retrying},
    },
    throttle::{Throttle, ThrottleKey},
};
use chrono::TimeDelta;
use std::sync::Arc;
use thiserror::Error;

/// Counts guesses of passwords.
pub(super) struct Guesses {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

/// Why a guess is not looked at.
#[derive(Debug, Error)]
pub(super) enum NoGuess {
    /// It comes too soon after the ones before it.
    #[error("guesses come too fast")]
    Wait(TimeDelta),
    /// Breakage.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl AsStorageError for NoGuess {
    fn as_storage_error(&self) -> Option<&StorageError> {
        match self {
            Self::Storage(error) => Some(error),
            Self::Wait(_) => None,
        }
    }
}

impl Guesses {
    pub(super) fn new(storage: &Arc<dyn Storage>, clock: &Arc<dyn Clock>) -> Self {
        Self {
            storage: Arc::clone(storage),
            clock: Arc::clone(clock),
        }
    }

    /// Counts a guess, for good: whatever happens next, it was made. Tells what was counted before.
    pub(super) async fn count(&self, key: ThrottleKey) -> Result<Throttle, NoGuess> {
        retrying(self.storage.as_ref(), || async {
            let now = self.clock.now();
            let mut work = self.storage.write().await?;
            let before = work.throttles().lock(key, now).await?;
            let counted = Throttle::count(Some(before), now).map_err(NoGuess::Wait)?;
            work.throttles().save(key, counted).await?;
            work.commit().await?;
            Ok(before)
        })
        .await
    }

    /// Takes back a guess that nobody could look at, as if it had not been made: nor does the wait
    /// begin anew, unless somebody guessed meanwhile.
    pub(super) async fn give_back(
        &self,
        key: ThrottleKey,
        before: Throttle,
    ) -> Result<(), StorageError> {
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let counted = work.throttles().lock(key, self.clock.now()).await?;
            let is_alone = counted.guesses == before.guesses + 1;
            let less = Throttle {
                guesses: counted.guesses.saturating_sub(1),
                last_at: if is_alone {
                    before.last_at
                } else {
                    counted.last_at
                },
            };
            work.throttles().save(key, less).await?;
            work.commit().await
        })
        .await
    }
}
