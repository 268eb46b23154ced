//! Heartbeats of all jobs of this worker: one transaction per account.

use super::{as_std, attempt_state::AttemptState, chain};
use domain::ids::{AccountId, JobId};
use domain::use_cases::Core;
use domain::use_cases::keep_leases::{Hold, SignOfLife};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// By job and epoch: an attempt that lost its lease may still be ending when the worker claims the job again.
type Held = BTreeMap<(JobId, i64), (Hold, Arc<AttemptState>)>;

#[derive(Default)]
pub(super) struct Heart {
    held: Mutex<Held>,
}

/// Renews the job's lease until dropped.
pub(super) struct Beating<'a> {
    heart: &'a Heart,
    key: (JobId, i64),
}

impl Heart {
    pub(super) fn keep(&self, hold: Hold, state: &Arc<AttemptState>) -> Beating<'_> {
        let key = (hold.job, hold.epoch);
        self.held().insert(key, (hold, Arc::clone(state)));
        Beating { heart: self, key }
    }

    /// Runs until aborted.
    pub(super) async fn beat(self: Arc<Self>, core: Arc<Core>) {
        loop {
            tokio::time::sleep(as_std(core.policies.queue.heartbeat)).await;
            // A hanging call must not delay other accounts.
            let mut beats = JoinSet::new();
            for (account, held) in self.by_account() {
                beats.spawn(renew(Arc::clone(&core), account, held));
            }
            beats.join_all().await;
        }
    }

    fn by_account(&self) -> BTreeMap<AccountId, Vec<(Hold, Arc<AttemptState>)>> {
        let mut found: BTreeMap<AccountId, Vec<_>> = BTreeMap::new();
        for (hold, state) in self.held().values() {
            let of_account = found.entry(hold.account).or_default();
            of_account.push((*hold, Arc::clone(state)));
        }
        found
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Beating<'_> {
    fn drop(&mut self) {
        self.heart.held().remove(&self.key);
    }
}

async fn renew(core: Arc<Core>, account: AccountId, held: Vec<(Hold, Arc<AttemptState>)>) {
    let signs: Vec<SignOfLife> = { held.iter() }
        .map(|(hold, state)| SignOfLife {
            hold: *hold,
            progress: state.progress(),
        })
        .collect();
    match core.keep_leases(account, &signs).await {
        Ok(answers) => {
            for ((_, state), answer) in held.iter().zip(answers) {
                match answer {
                    Some(go_on) => state.heed(go_on),
                    None => state.lose(),
                }
            }
        }
        Err(error) => tracing::warn!(
            accountId = account.0,
            jobs = held.len(),
            error = chain(&error),
            "Leases cannot be renewed yet."
        ),
    }
}
