//! Publishes jobs of an account in one transaction: each updates the same queue row, so single commits would block each
//! other.

use super::error_chain;
use domain::ids::AccountId;
use domain::job::Job;
use domain::ports::storage::StorageError;
use domain::use_cases::Core;
use domain::use_cases::leases::{LeaseError, LeaseToken};
use domain::use_cases::publish_results::JobResults;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Maximum jobs per transaction.
const MAX_BATCH: usize = 32;

pub(super) struct JobPublisher {
    core: Arc<Core>,
    /// By account; an account with an entry has a running publisher task.
    waiting: Mutex<BTreeMap<AccountId, Vec<PendingPublish>>>,
}

struct PendingPublish {
    lease: LeaseToken,
    outcome: Arc<JobResults>,
    reply: oneshot::Sender<Result<Job, LeaseError>>,
}

/// Removes the account's entry even after a panic, or later jobs would wait forever.
struct AccountGuard<'e> {
    publisher: &'e JobPublisher,
    account: AccountId,
    is_over: bool,
}

impl JobPublisher {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            waiting: Mutex::default(),
        }
    }

    pub(super) async fn publish(
        self: &Arc<Self>,
        lease: LeaseToken,
        outcome: Arc<JobResults>,
    ) -> Result<Job, LeaseError> {
        let (reply, response) = oneshot::channel();
        let waiting = PendingPublish {
            lease,
            outcome,
            reply,
        };
        match self.waiting().entry(lease.account) {
            Entry::Occupied(mut others) => others.get_mut().push(waiting),
            Entry::Vacant(queue) => {
                queue.insert(vec![waiting]);
                // A separate task: if the first caller is dropped, those queued behind it must still be served.
                tokio::spawn(Arc::clone(self).work(lease.account));
            }
        }
        let broke_off = |_| StorageError::Unavailable("storing the end of a job broke off".into());
        response.await.map_err(broke_off)?
    }

    async fn work(self: Arc<Self>, account: AccountId) {
        let mut at_work = AccountGuard {
            publisher: &self,
            account,
            is_over: false,
        };
        while let Some(together) = at_work.next() {
            self.publish_batch(account, together).await;
        }
    }

    async fn publish_batch(&self, account: AccountId, mut together: Vec<PendingPublish>) {
        if together.len() == 1
            && let Some(alone) = together.pop()
        {
            return self.publish_one(alone).await;
        }
        let ends: Vec<(LeaseToken, &JobResults)> = { together.iter() }
            .map(|it| (it.lease, it.outcome.as_ref()))
            .collect();
        match self.core.publish_all(account, &ends).await {
            Ok(ended) => {
                for (waiting, job) in together.into_iter().zip(ended) {
                    let _ = waiting.reply.send(job.ok_or(LeaseError::Lost));
                }
            }
            Err(error) => {
                tracing::warn!(
                    accountId = account.0,
                    jobs = together.len(),
                    error = error_chain(&error),
                    "Jobs cannot be ended together; each is ended separately."
                );
                // A failure of one must not affect the others.
                for waiting in together {
                    self.publish_one(waiting).await;
                }
            }
        }
    }

    async fn publish_one(&self, waiting: PendingPublish) {
        let publishing = self.core.publish_results(waiting.lease, &waiting.outcome);
        let ended = publishing.await;
        let _ = waiting.reply.send(ended);
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<AccountId, Vec<PendingPublish>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AccountGuard<'_> {
    /// The next batch; `None` if the queue is empty, and then the entry is removed.
    fn next(&mut self) -> Option<Vec<PendingPublish>> {
        let mut all = self.publisher.waiting();
        let waiting = all.get_mut(&self.account)?;
        if waiting.is_empty() {
            all.remove(&self.account);
            self.is_over = true;
            return None;
        }
        let first = waiting.len().min(MAX_BATCH);
        Some(waiting.drain(..first).collect())
    }
}

impl Drop for AccountGuard<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.publisher.waiting().remove(&self.account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::JobId;
    use domain::job::account_queue::AccountQueue;
    use domain::job::progress::Progress;
    use domain::test_support::{FakeStorage, core};

    const ANN: AccountId = AccountId(1);

    fn unavailable() -> StorageError {
        StorageError::Unavailable("the disk is full".into())
    }

    fn line() -> AccountQueue {
        AccountQueue {
            account: ANN,
            waiting: 0,
            running: 0,
            next_run_at: None,
            next_short_run_at: None,
            attention_at: None,
            virtual_time: 0.0,
        }
    }

    /// A transaction that finds the lease lost.
    fn expect_lost(storage: &FakeStorage, ids: &'static [i64]) {
        storage.expect(|work| {
            let jobs = work.jobs.expect_lock_queue_and_jobs();
            let expected =
                jobs.withf(move |_, jobs| jobs.iter().map(|it| it.0).eq(ids.iter().copied()));
            expected.return_once(|_, _| Ok((line(), vec![])));
        });
    }

    fn expect_failure(storage: &FakeStorage) {
        storage.expect(|work| {
            work.jobs
                .expect_lock_queue_and_jobs()
                .return_once(|_, _| Err(unavailable()));
        });
    }

    fn endings(storage: &Arc<FakeStorage>) -> Arc<JobPublisher> {
        let core = core(Arc::<FakeStorage>::clone(storage));
        Arc::new(JobPublisher::new(Arc::new(core)))
    }

    async fn end(endings: &Arc<JobPublisher>, job: i64) -> &'static str {
        let lease = LeaseToken {
            account: ANN,
            job: JobId(job),
            epoch: 1,
        };
        let outcome = Arc::new(JobResults {
            heads: vec![],
            latest: vec![],
            carried_over: vec![],
            partial: false,
            progress: Progress::default(),
            events: vec![],
        });
        match endings.publish(lease, outcome).await {
            Ok(_) => "ended",
            Err(LeaseError::Lost) => "lost",
            Err(LeaseError::Storage(_)) => "failed",
        }
    }

    #[tokio::test]
    async fn jobs_finishing_together_are_published_together() {
        let storage = Arc::new(FakeStorage::default());
        expect_lost(&storage, &[1, 2, 3]);
        let endings = endings(&storage);
        let all = tokio::join!(end(&endings, 1), end(&endings, 2), end(&endings, 3));
        assert_eq!(all, ("lost", "lost", "lost"));
    }

    #[tokio::test]
    async fn failure_of_one_job_does_not_affect_the_others() {
        let storage = Arc::new(FakeStorage::default());
        expect_failure(&storage);
        expect_lost(&storage, &[1]);
        expect_failure(&storage);
        expect_lost(&storage, &[3]);
        let endings = endings(&storage);
        let all = tokio::join!(end(&endings, 1), end(&endings, 2), end(&endings, 3));
        assert_eq!(all, ("lost", "failed", "lost"));
    }

    #[tokio::test]
    async fn storage_panic_leaves_no_job_waiting() {
        let storage = Arc::new(FakeStorage::default());
        let endings = endings(&storage);
        // Without an expectation the storage panics.
        let both = tokio::join!(end(&endings, 1), end(&endings, 2));
        assert_eq!(both, ("failed", "failed"));
        expect_lost(&storage, &[3]);
        assert_eq!(end(&endings, 3).await, "lost");
    }
}
