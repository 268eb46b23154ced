//! Counts guesses before they are checked.

use super::{Core, impl_as_storage_error};
use crate::ports::storage::{StorageError, Transaction};
use crate::throttle::{GuessLimit, Pace, Throttle};
use chrono::{DateTime, TimeDelta, Utc};
use thiserror::Error;

/// A counted guess: for each limit, the counter before and after.
pub(super) struct CountedGuess(Vec<(GuessLimit, Throttle, Throttle)>);

#[derive(Debug, Error)]
pub(super) enum NoGuess {
    #[error("guesses come too fast")]
    Wait(TimeDelta),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(NoGuess);

impl Core {
    /// Counts a guess; the commit is independent of later work. A guess that must wait for one
    /// limit is not counted by any.
    pub(super) async fn count_guess(&self, limits: &[GuessLimit]) -> Result<CountedGuess, NoGuess> {
        let count = |mut work: Box<dyn Transaction>, now: DateTime<Utc>| async move {
            let (mut counted, mut longest) = (Vec::with_capacity(limits.len()), None);
            // Locks two or three rows, in the order of the limits.
            for limit in limits {
                let before = work.throttles().lock(limit.key, now).await?;
                match limit.pace.count(before, now) {
                    Ok(after) => counted.push((*limit, before, after)),
                    Err(wait) => longest = longest.max(Some(wait)),
                }
            }
            if let Some(wait) = longest {
                return Err(NoGuess::Wait(wait));
            }
            for (limit, _, after) in &counted {
                work.throttles().save(limit.key, *after).await?;
            }
            work.commit().await?;
            Ok(CountedGuess(counted))
        };
        self.transaction_with_time(count).await
    }

    /// Takes back a guess that could not be checked. The wait does not restart, unless there
    /// were other guesses meanwhile.
    pub(super) async fn give_back_guess(&self, guess: &CountedGuess) -> Result<(), StorageError> {
        let give_back = |mut work: Box<dyn Transaction>, now| async move {
            for one in &guess.0 {
                take_back(work.as_mut(), one, now).await?;
            }
            work.commit().await
        };
        self.transaction_with_time(give_back).await
    }
}

impl CountedGuess {
    /// Resets the counters after a right guess, in the transaction of its effect.
    pub(super) async fn was_right(
        &self,
        work: &mut dyn Transaction,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        for one @ (limit, ..) in &self.0 {
            match limit.pace {
                Pace::Doubling { .. } => work.throttles().reset(limit.key).await?,
                Pace::Draining { .. } => take_back(work, one, now).await?,
            }
        }
        Ok(())
    }
}

async fn take_back(
    work: &mut dyn Transaction,
    (limit, before, after): &(GuessLimit, Throttle, Throttle),
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let counted = work.throttles().lock(limit.key, now).await?;
    let less = if counted == *after {
        *before
    } else {
        Throttle {
            guesses: counted.guesses.saturating_sub(1),
            ..counted
        }
    };
    work.throttles().save(limit.key, less).await
}
