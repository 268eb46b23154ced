//! Publishes jobs of an account in one transaction: each updates the same queue row, so single commits would block each
//! other.

use super::chain;
use domain::ids::AccountId;
use domain::job::Job;
use domain::ports::storage::StorageError;
use domain::use_cases::Core;
use domain::use_cases::keep_leases::{Hold, HoldError};
use domain::use_cases::publish_results::Outcome;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Maximum jobs per transaction.
const MOST: usize = 32;

pub(super) struct Endings {
    core: Arc<Core>,
    /// By account; an account with an entry has a running publisher task.
    waiting: Mutex<BTreeMap<AccountId, Vec<Waiting>>>,
}

struct Waiting {
    hold: Hold,
    outcome: Arc<Outcome>,
    tell: oneshot::Sender<Result<Job, HoldError>>,
}

/// Removes the account's entry even after a panic, or later jobs would wait forever.
struct AtWork<'e> {
    endings: &'e Endings,
    account: AccountId,
    is_over: bool,
}

impl Endings {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            waiting: Mutex::default(),
        }
    }

    pub(super) async fn publish(
        self: &Arc<Self>,
        hold: Hold,
        outcome: Arc<Outcome>,
    ) -> Result<Job, HoldError> {
        let (tell, hear) = oneshot::channel();
        let waiting = Waiting {
            hold,
            outcome,
            tell,
        };
        match self.waiting().entry(hold.account) {
            Entry::Occupied(mut others) => others.get_mut().push(waiting),
            Entry::Vacant(nobody) => {
                nobody.insert(vec![waiting]);
                // A task of its own: if the first caller is dropped, those queued behind it must still be served.
                tokio::spawn(Arc::clone(self).work(hold.account));
            }
        }
        let broke_off = |_| StorageError::Unavailable("storing the end of a job broke off".into());
        hear.await.map_err(broke_off)?
    }

    async fn work(self: Arc<Self>, account: AccountId) {
        let mut at_work = AtWork {
            endings: &self,
            account,
            is_over: false,
        };
        while let Some(together) = at_work.next() {
            self.end(account, together).await;
        }
    }

    async fn end(&self, account: AccountId, mut together: Vec<Waiting>) {
        if together.len() == 1
            && let Some(alone) = together.pop()
        {
            return self.end_alone(alone).await;
        }
        let ends: Vec<(Hold, &Outcome)> = { together.iter() }
            .map(|it| (it.hold, it.outcome.as_ref()))
            .collect();
        match self.core.publish_all(account, &ends).await {
            Ok(ended) => {
                for (waiting, job) in together.into_iter().zip(ended) {
                    let _ = waiting.tell.send(job.ok_or(HoldError::Lost));
                }
            }
            Err(error) => {
                tracing::warn!(
                    accountId = account.0,
                    jobs = together.len(),
                    error = chain(&error),
                    "Jobs cannot be ended together; each is ended by itself."
                );
                // A failure of one must not affect the others.
                for waiting in together {
                    self.end_alone(waiting).await;
                }
            }
        }
    }

    async fn end_alone(&self, waiting: Waiting) {
        let publishing = self.core.publish_results(waiting.hold, &waiting.outcome);
        let ended = publishing.await;
        let _ = waiting.tell.send(ended);
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<AccountId, Vec<Waiting>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AtWork<'_> {
    /// The next batch; `None` if the queue is empty, and then the entry is removed.
    fn next(&mut self) -> Option<Vec<Waiting>> {
        let mut all = self.endings.waiting();
        let waiting = all.get_mut(&self.account)?;
        if waiting.is_empty() {
            all.remove(&self.account);
            self.is_over = true;
            return None;
        }
        let first = waiting.len().min(MOST);
        Some(waiting.drain(..first).collect())
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.endings.waiting().remove(&self.account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::JobId;
    use domain::job::line::AccountQueue;
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
            let jobs = work.jobs.expect_lock_with_line();
            let asked =
                jobs.withf(move |_, jobs| jobs.iter().map(|it| it.0).eq(ids.iter().copied()));
            asked.return_once(|_, _| Ok((line(), vec![])));
        });
    }

    fn expect_trouble(storage: &FakeStorage) {
        storage.expect(|work| {
            work.jobs
                .expect_lock_with_line()
                .return_once(|_, _| Err(unavailable()));
        });
    }

    fn endings(storage: &Arc<FakeStorage>) -> Arc<Endings> {
        let core = core(Arc::<FakeStorage>::clone(storage));
        Arc::new(Endings::new(Arc::new(core)))
    }

    async fn end(endings: &Arc<Endings>, job: i64) -> &'static str {
        let hold = Hold {
            account: ANN,
            job: JobId(job),
            epoch: 1,
        };
        let outcome = Arc::new(Outcome {
            heads: vec![],
            latest: vec![],
            carried: vec![],
            partial: false,
            progress: Progress::default(),
        });
        match endings.publish(hold, outcome).await {
            Ok(_) => "ended",
            Err(HoldError::Lost) => "lost",
            Err(HoldError::Storage(_)) => "trouble",
        }
    }

    #[tokio::test]
    async fn those_who_are_done_at_the_same_time_are_ended_together() {
        let storage = Arc::new(FakeStorage::default());
        expect_lost(&storage, &[1, 2, 3]);
        let endings = endings(&storage);
        let all = tokio::join!(end(&endings, 1), end(&endings, 2), end(&endings, 3));
        assert_eq!(all, ("lost", "lost", "lost"));
    }

    #[tokio::test]
    async fn what_is_wrong_with_one_keeps_no_other_from_its_end() {
        let storage = Arc::new(FakeStorage::default());
        expect_trouble(&storage);
        expect_lost(&storage, &[1]);
        expect_trouble(&storage);
        expect_lost(&storage, &[3]);
        let endings = endings(&storage);
        let all = tokio::join!(end(&endings, 1), end(&endings, 2), end(&endings, 3));
        assert_eq!(all, ("lost", "trouble", "lost"));
    }

    #[tokio::test]
    async fn nobody_waits_for_ever_when_storing_panics() {
        let storage = Arc::new(FakeStorage::default());
        let endings = endings(&storage);
        // Without an expectation the storage panics.
        let both = tokio::join!(end(&endings, 1), end(&endings, 2));
        assert_eq!(both, ("trouble", "trouble"));
        expect_lost(&storage, &[3]);
        assert_eq!(end(&endings, 3).await, "lost");
    }
}
