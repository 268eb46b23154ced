//! Heartbeats of all jobs of this worker: one transaction per account.

use super::{as_std, attempt_state::AttemptState, error_chain};
use domain::ids::{AccountId, JobId};
use domain::use_cases::Core;
use domain::use_cases::leases::{Heartbeat, LeaseToken};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// By job and epoch: an attempt that lost its lease may still be ending when the worker claims the job again.
type HeldLeases = BTreeMap<(JobId, i64), (LeaseToken, Arc<AttemptState>)>;

#[derive(Default)]
pub(super) struct HeartbeatTask {
    leases: Mutex<HeldLeases>,
}

/// Renews the job's lease until dropped.
pub(super) struct LeaseGuard<'a> {
    task: &'a HeartbeatTask,
    key: (JobId, i64),
}

impl HeartbeatTask {
    pub(super) fn track(&self, lease: LeaseToken, state: &Arc<AttemptState>) -> LeaseGuard<'_> {
        let key = (lease.job, lease.epoch);
        self.leases().insert(key, (lease, Arc::clone(state)));
        LeaseGuard { task: self, key }
    }

    /// Runs until aborted.
    pub(super) async fn run(self: Arc<Self>, core: Arc<Core>) {
        loop {
            tokio::time::sleep(as_std(core.policies.queue.heartbeat)).await;
            // A hanging call must not delay other accounts.
            let mut beats = JoinSet::new();
            for (account, leases) in self.by_account() {
                beats.spawn(renew_leases(Arc::clone(&core), account, leases));
            }
            beats.join_all().await;
        }
    }

    fn by_account(&self) -> BTreeMap<AccountId, Vec<(LeaseToken, Arc<AttemptState>)>> {
        let mut found: BTreeMap<AccountId, Vec<_>> = BTreeMap::new();
        for (lease, state) in self.leases().values() {
            let of_account = found.entry(lease.account).or_default();
            of_account.push((*lease, Arc::clone(state)));
        }
        found
    }

    fn leases(&self) -> MutexGuard<'_, HeldLeases> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LeaseGuard<'_> {
    fn drop(&mut self) {
        self.task.leases().remove(&self.key);
    }
}

async fn renew_leases(
    core: Arc<Core>,
    account: AccountId,
    leases: Vec<(LeaseToken, Arc<AttemptState>)>,
) {
    let heartbeats: Vec<Heartbeat> = { leases.iter() }
        .map(|(lease, state)| Heartbeat {
            lease: *lease,
            progress: state.progress(),
        })
        .collect();
    match core.renew_leases(account, &heartbeats).await {
        Ok(answers) => {
            for ((_, state), answer) in leases.iter().zip(answers) {
                match answer {
                    Some(go_on) => state.apply(go_on),
                    None => state.mark_lease_lost(),
                }
            }
        }
        Err(error) => tracing::warn!(
            accountId = account.0,
            jobs = leases.len(),
            error = error_chain(&error),
            "Leases cannot be renewed yet."
        ),
    }
}
