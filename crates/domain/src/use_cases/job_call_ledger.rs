//! Records a job's paid calls, before each call and after it.

use super::Core;
use super::leases::{LeaseError, LeaseToken};
use crate::job::{Job, JobCost};
use crate::ports::paid_call_ledger::{
    LedgerEntry, PaidCall, PaidCallLedger, PaidCallOutcome, PaidCallStart,
};
use crate::ports::paid_calls::PaidCallKey;
use crate::ports::search_results::ProviderError;
use crate::ports::storage::{AsStorageError, StorageError, Transaction};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::error::Error;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thiserror::Error as ThisError;

/// The ledger of one attempt; one instance per attempt, because it numbers the calls.
pub struct JobCallLedger {
    core: Arc<Core>,
    lease: LeaseToken,
    last: AtomicI64,
    /// Outcomes not saved yet. No further call begins before they are, so that a crash loses at
    /// most the calls in flight.
    unsaved: Mutex<Vec<(LedgerEntry, PaidCallOutcome)>>,
}

#[derive(Debug, ThisError)]
enum LedgerError {
    #[error("the job's budget is used up")]
    CapReached,
    #[error("the job is not this worker's any more")]
    Lost,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
super::impl_as_storage_error!(LedgerError);

impl From<LeaseError> for LedgerError {
    fn from(error: LeaseError) -> Self {
        match error {
            LeaseError::Lost => Self::Lost,
            LeaseError::Storage(error) => Self::Storage(error),
        }
    }
}

impl From<LedgerError> for ProviderError {
    fn from(refused: LedgerError) -> Self {
        let cause = { refused.as_storage_error() }.and_then(|it| Some(it.source()?.to_string()));
        match refused {
            LedgerError::CapReached => Self::JobBudgetReached,
            other => Self::NotRecorded {
                reason: cause.map_or(other.to_string(), |cause| format!("{other}: {cause}")),
            },
        }
    }
}

impl JobCallLedger {
    pub fn new(core: Arc<Core>, lease: LeaseToken) -> Self {
        Self {
            core,
            lease,
            last: AtomicI64::new(0),
            unsaved: Mutex::default(),
        }
    }

    fn key(&self, ticket: LedgerEntry) -> PaidCallKey {
        PaidCallKey {
            account: self.lease.account,
            job: self.lease.job,
            epoch: self.lease.epoch,
            entry: ticket,
        }
    }

    /// Locks the job's row, so that concurrent calls cannot spend the same money, and a worker
    /// without the lease spends nothing.
    async fn begun(
        &self,
        call: &PaidCall,
        ticket: LedgerEntry,
        unwritten: &[(LedgerEntry, PaidCallOutcome)],
    ) -> Result<PaidCallStart, LedgerError> {
        let begin = |mut work: Box<dyn Transaction>, job: Job, now| async move {
            let cost = self
                .settled(work.as_mut(), job.cost, unwritten, now)
                .await?;
            let answer = work.paid_calls().answer(job.account, job.id, &call.step);
            let (cost, begun) = match answer.await? {
                Some(answer) if unwritten.is_empty() => {
                    return Ok(PaidCallStart::AlreadyAnswered(answer));
                }
                Some(answer) => (cost, PaidCallStart::AlreadyAnswered(answer)),
                None => {
                    let cost = cost
                        .with_call_begun(call.max_cost)
                        .ok_or(LedgerError::CapReached)?;
                    work.paid_calls()
                        .begin(self.key(ticket), &call.step, now)
                        .await?;
                    (cost, PaidCallStart::Proceed(ticket))
                }
            };
            work.jobs().save(&Job { cost, ..job }).await?;
            work.commit().await?;
            Ok(begun)
        };
        self.core.with_lease(self.lease, begin).await
    }

    async fn ended(&self, ended: &[(LedgerEntry, PaidCallOutcome)]) -> Result<(), LedgerError> {
        let end = |mut work: Box<dyn Transaction>, job: Job, now| async move {
            let cost = self.settled(work.as_mut(), job.cost, ended, now).await?;
            work.jobs().save(&Job { cost, ..job }).await?;
            Ok(work.commit().await?)
        };
        self.core.with_lease(self.lease, end).await
    }

    /// Saves outcomes, each once, because an earlier commit with an unknown result may have saved them.
    async fn settled(
        &self,
        work: &mut dyn Transaction,
        mut cost: JobCost,
        ended: &[(LedgerEntry, PaidCallOutcome)],
        now: DateTime<Utc>,
    ) -> Result<JobCost, StorageError> {
        for (ticket, ended) in ended {
            let key = self.key(*ticket);
            if work.paid_calls().end(key, ended, now).await? {
                cost = cost.with_call_ended(ticket.max_cost, ended.cost, ended.calls);
            }
        }
        Ok(cost)
    }

    fn unsaved(&self) -> MutexGuard<'_, Vec<(LedgerEntry, PaidCallOutcome)>> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl PaidCallLedger for JobCallLedger {
    async fn begin(&self, call: &PaidCall) -> Result<PaidCallStart, ProviderError> {
        let ticket = LedgerEntry {
            number: self.last.fetch_add(1, Ordering::Relaxed) + 1,
            max_cost: call.max_cost,
        };
        let unwritten = std::mem::take(&mut *self.unsaved());
        let begun = self.begun(call, ticket, &unwritten).await;
        if begun.is_err() {
            self.unsaved().extend(unwritten);
        }
        Ok(begun?)
    }

    async fn end(&self, ticket: LedgerEntry, ended: PaidCallOutcome) -> Result<(), ProviderError> {
        let ended = [(ticket, ended)];
        let outcome = self.ended(&ended).await;
        if outcome.is_err() {
            self.unsaved().extend(ended);
        }
        Ok(outcome?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobCost;
    use crate::money::MicroUsd;
    use crate::ports::paid_call_ledger::RecordedAnswer;
    use crate::test_support::fixtures::{job, now};
    use crate::test_support::{ACCOUNT, Fault, MemoryStorage, WrittenCallRow, a_job, core};

    const CALL: i64 = 40;

    /// With a job in its first attempt.
    fn running(reserved: i64, spent: i64) -> MemoryStorage {
        let job = job(a_job().id.0).reserved(reserved).running_for(0);
        MemoryStorage::default().with(job.but(|it| it.cost.spent = MicroUsd(spent)))
    }

    fn cost(storage: &MemoryStorage) -> JobCost {
        storage.state().jobs[&(ACCOUNT, a_job().id)].cost
    }

    /// Outcome of a call of the first attempt.
    fn written(storage: &MemoryStorage, number: i64) -> Option<WrittenCallRow> {
        let key = (ACCOUNT, a_job().id, (1, number));
        storage.state().paid_calls.get(&key).cloned()
    }

    fn an_answer() -> RecordedAnswer {
        RecordedAnswer {
            body: b"[1]".to_vec(),
            at: now(),
        }
    }

    fn call() -> PaidCall {
        PaidCall {
            step: "serper 1".to_owned(),
            max_cost: MicroUsd(CALL),
        }
    }

    fn journal(storage: &MemoryStorage, epoch: i64) -> JobCallLedger {
        let lease = LeaseToken {
            epoch,
            ..LeaseToken::of(&a_job())
        };
        JobCallLedger::new(Arc::new(core(storage.port())), lease)
    }

    #[tokio::test]
    async fn a_call_counts_at_its_maximum_until_its_cost_is_known() {
        let storage = running(100, 60);
        let journal = journal(&storage, 1);
        let Ok(PaidCallStart::Proceed(ticket)) = journal.begin(&call()).await else {
            panic!("it may be made");
        };
        let begun = written(&storage, 1).unwrap();
        assert_eq!((begun.step.as_str(), begun.ended), ("serper 1", None));
        let stood = cost(&storage);
        assert_eq!((stood.spent, stood.calls), (MicroUsd(100), 1));
        let ended = PaidCallOutcome {
            calls: 2,
            cost: MicroUsd(5),
            answer: Some(b"{}".to_vec()),
        };
        journal.end(ticket, ended.clone()).await.unwrap();
        assert_eq!(
            written(&storage, 1).unwrap().ended,
            Some((ended, now())),
            "the supplier's answer is kept"
        );
        let stood = cost(&storage);
        assert_eq!((stood.spent, stood.calls), (MicroUsd(65), 2));
        assert_eq!(storage.commits(), 2);
    }

    #[tokio::test]
    async fn a_call_that_may_exceed_the_budget_is_not_made() {
        let storage = running(100, 61);
        let before = storage.state();
        let refused = journal(&storage, 1).begin(&call()).await;
        assert_eq!(refused, Err(ProviderError::JobBudgetReached));
        assert_eq!(storage.commits(), 0);
        assert_eq!(storage.state(), before);
    }

    #[tokio::test]
    async fn an_answered_call_is_replayed_even_without_budget() {
        let storage = running(100, 100);
        storage.put(|state| {
            let ended = PaidCallOutcome {
                answer: Some(an_answer().body),
                ..PaidCallOutcome::default()
            };
            let call = WrittenCallRow {
                step: call().step,
                begun_at: now(),
                ended: Some((ended, an_answer().at)),
            };
            let key = (ACCOUNT, a_job().id, (0, 9));
            state.paid_calls.insert(key, call);
        });
        let before = storage.state();
        let begun = journal(&storage, 1).begin(&call()).await;
        assert_eq!(begun, Ok(PaidCallStart::AlreadyAnswered(an_answer())));
        assert_eq!(storage.state(), before);
    }

    #[tokio::test]
    async fn a_worker_that_lost_its_lease_makes_no_call() {
        let storage = running(100, 0);
        let before = storage.state();
        let refused = journal(&storage, 7).begin(&call()).await;
        assert!(
            matches!(refused, Err(ProviderError::NotRecorded { .. })),
            "{refused:?}"
        );
        assert_eq!(storage.state(), before);
    }

    #[tokio::test]
    async fn without_the_storage_no_call_is_made() {
        let storage = running(100, 0);
        storage.fail_at(1, Fault::Broken);
        let refused = journal(&storage, 1).begin(&call()).await;
        let Err(ProviderError::NotRecorded { reason }) = refused else {
            panic!("{refused:?}");
        };
        assert!(reason.contains("the test wants it so"), "{reason}");
        assert_eq!(written(&storage, 1), None);
    }

    #[tokio::test]
    async fn an_unsaved_outcome_is_saved_once_with_the_next_call() {
        let storage = running(200, 0);
        let journal = journal(&storage, 1);
        let Ok(PaidCallStart::Proceed(ticket)) = journal.begin(&call()).await else {
            panic!("it may be made");
        };
        let stood = cost(&storage);
        assert_eq!((stood.spent, stood.calls), (MicroUsd(CALL), 1));
        let ended = PaidCallOutcome {
            calls: 1,
            cost: MicroUsd(5),
            answer: Some(b"{}".to_vec()),
        };
        storage.fail_at(1, Fault::Broken);
        assert!(journal.end(ticket, ended.clone()).await.is_err());
        assert_eq!(written(&storage, 1).unwrap().ended, None);
        let next = PaidCall {
            step: "serper 2".to_owned(),
            ..call()
        };
        let next = journal.begin(&next).await;
        assert!(matches!(next, Ok(PaidCallStart::Proceed(_))), "{next:?}");
        assert_eq!(written(&storage, 1).unwrap().ended, Some((ended, now())));
        assert_eq!(written(&storage, 2).unwrap().ended, None);
        let stood = cost(&storage);
        assert_eq!((stood.spent, stood.calls), (MicroUsd(5 + CALL), 2));
        assert!(journal.unsaved().is_empty());
    }
}
