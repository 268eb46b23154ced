//! Looks whether this process's clock may judge what others do.

use crate::{
    job::{
        clock_watch::{ClockWatch, Distrust},
        policy::QueuePolicy,
    },
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
};
use std::sync::{Arc, Mutex, PoisonError};

pub struct WatchClock {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
    seen: Mutex<ClockWatch>,
}

impl WatchClock {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
            seen: Mutex::default(),
        }
    }

    /// Why it may not; `None` when it may.
    pub async fn run(&self) -> Result<Option<Distrust>, StorageError> {
        let shared = self.storage.now().await?;
        let (now, elapsed) = (self.clock.now(), self.clock.elapsed());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(seen.judge(now, elapsed, shared, &self.policy).err())
    }
}
