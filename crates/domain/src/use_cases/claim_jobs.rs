//! Claims the next jobs for a worker: least served account first, in each account's order.

use super::{Core, idempotency::purge_expired_records};
use crate::job::account_queue::AccountQueue;
use crate::job::fair_queue::{CANDIDATES, SERVICE_PER_JOB};
use crate::job::slots::{FreeSlots, SlotKind};
use crate::job::{Job, fair_queue};
use crate::ports::storage::{StorageError, Transaction};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Jobs deleted at once.
const PURGE_BATCH: u32 = 20;

/// Jobs allocated to an account, and its maximum.
struct AccountShare {
    queue: AccountQueue,
    allocated: u32,
    max_jobs: u32,
}

impl Core {
    /// Claims and leases as many jobs as there are free slots; none if nothing suitable is due.
    ///
    /// Accounts are chosen from the queue rows, jobs within each account, so that each transaction
    /// touches one account only.
    pub async fn claim_jobs(
        &self,
        worker: &str,
        slots: &FreeSlots,
    ) -> Result<Vec<Job>, StorageError> {
        let cap = self.policies.queue.running_per_account;
        let mut tried = 0;
        let mut damage = Ok(());
        for candidates in CANDIDATES {
            let limit = candidates.max(slots.free);
            let reader = &mut self.storage.read().await?;
            let now = self.clock.now();
            let accounts = reader
                .jobs()
                .accounts_with_due_jobs(slots.slot_kind, now, cap, limit);
            let accounts = accounts.await?;
            let others_wait = accounts.len() > 1;
            let max_jobs = |queue: &AccountQueue| {
                let share = if others_wait {
                    slots.share(queue.account)
                } else {
                    u32::MAX
                };
                fair_queue::free_capacity(queue, cap).min(share)
            };
            let min_virtual_time = accounts.first().map_or(0.0, |queue| queue.virtual_time);
            let are_all = accounts.len() < limit as usize;
            let mut untried = accounts.get(tried..).unwrap_or_default().to_vec();
            order_ties_by_worker(&mut untried, worker);
            let allocated = fair_queue::allocate(&untried, min_virtual_time, max_jobs, slots.free);
            let shares = { untried.iter().zip(allocated) }.map(|(queue, number)| AccountShare {
                queue: *queue,
                allocated: number,
                max_jobs: max_jobs(queue),
            });
            let shares: Vec<AccountShare> = shares.collect();
            match self
                .claim_of(&shares, min_virtual_time, worker, slots.slot_kind)
                .await
            {
                Ok(claimed) if !claimed.is_empty() => return Ok(claimed),
                Ok(_) => {}
                Err(error) if is_damage(&error) => damage = Err(error),
                Err(error) => return Err(error),
            }
            if are_all {
                break;
            }
            tried = accounts.len();
        }
        damage.map(|()| vec![])
    }

    async fn claim_of(
        &self,
        shares: &[AccountShare],
        min_virtual_time: f64,
        worker: &str,
        takes: SlotKind,
    ) -> Result<Vec<Job>, StorageError> {
        let mut claimed = Vec::new();
        let mut failure = Ok(());
        for share in shares {
            // Accounts without an allocation are tried if no job could be claimed so far.
            let max_jobs = if claimed.is_empty() {
                share.allocated.max(1).min(share.max_jobs)
            } else {
                share.allocated
            };
            if max_jobs == 0 {
                continue;
            }
            let claiming = self.claim_in(share.queue, min_virtual_time, worker, takes, max_jobs);
            match claiming.await {
                Ok(jobs) => claimed.extend(jobs),
                Err(error) => {
                    let is_damage = is_damage(&error);
                    failure = Err(error);
                    if !is_damage {
                        break;
                    }
                }
            }
        }
        // Claimed jobs are already leased, so they must run.
        if claimed.is_empty() {
            failure?;
        }
        Ok(claimed)
    }

    async fn claim_in(
        &self,
        seen: AccountQueue,
        min_virtual_time: f64,
        worker: &str,
        takes: SlotKind,
        max_jobs: u32,
    ) -> Result<Vec<Job>, StorageError> {
        let policy = &self.policies.queue;
        let claim = |mut work: Box<dyn Transaction>, now| async move {
            let Some(queue) = work.jobs().try_lock_queue(seen.account).await? else {
                return Ok(vec![]);
            };
            let max_jobs = max_jobs.min(fair_queue::free_capacity(
                &queue,
                policy.running_per_account,
            ));
            if max_jobs == 0 {
                return Ok(vec![]);
            }
            let jobs = work.jobs();
            let due = jobs.lock_due(queue.account, takes, now, max_jobs).await?;
            let claim = |job| Some((job, Job::claimed(job, worker, now, policy).ok()?));
            let pairs: Vec<(&Job, Job)> = due.iter().filter_map(claim).collect();
            let updated = { pairs.iter() }.fold(queue, |queue, (job, claimed)| {
                queue.after_change(Some(job), claimed)
            });
            let claimed: Vec<Job> = pairs.into_iter().map(|(_, claimed)| claimed).collect();
            work.jobs().save_all(&claimed).await?;
            let service = claimed.iter().map(|_| SERVICE_PER_JOB).sum::<f64>();
            let virtual_time = match claimed.len() {
                0 => queue.virtual_time,
                _ => queue.virtual_time.max(min_virtual_time) + service,
            };
            if claimed.len() < max_jobs as usize || updated.waiting == 0 {
                // Nothing more is due: a good time to purge old jobs and stored responses, and to
                // recompute when the next job is due.
                work.jobs()
                    .purge_finished(queue.account, now, policy, PURGE_BATCH)
                    .await?;
                purge_expired_records(work.as_mut(), queue.account, now).await?;
                work.jobs()
                    .refresh_queue(queue.account, virtual_time)
                    .await?;
            } else {
                let updated = AccountQueue {
                    virtual_time,
                    ..updated
                };
                work.jobs().save_queue(&updated).await?;
            }
            work.commit().await?;
            Ok(claimed)
        };
        self.transaction_with_time(claim).await
    }
}

/// Breaks ties by a worker-specific order: workers that look at the same time would otherwise
/// contend for the same account.
fn order_ties_by_worker(accounts: &mut [AccountQueue], worker: &str) {
    let of_this_worker = |queue: &AccountQueue| {
        let mut hasher = DefaultHasher::new();
        (worker, queue.account.0).hash(&mut hasher);
        hasher.finish()
    };
    accounts.sort_by(|one, other| {
        let by_service = one.virtual_time.total_cmp(&other.virtual_time);
        by_service.then_with(|| of_this_worker(one).cmp(&of_this_worker(other)))
    });
}

/// A corrupt account must not block the others.
fn is_damage(error: &StorageError) -> bool {
    matches!(error, StorageError::Corrupt { .. })
}
