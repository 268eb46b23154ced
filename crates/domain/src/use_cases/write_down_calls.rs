//! Records a job's paid calls, before each call and after it.

use super::Core;
use super::keep_leases::{Hold, HoldError};
use crate::job::{Job, JobCost};
use crate::ports::call_journal::{Begun, CallJournal, Ended, PaidCall, Ticket};
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
pub struct WriteDownCalls {
    core: Arc<Core>,
    hold: Hold,
    last: AtomicI64,
    /// Outcomes not saved yet. No further call begins before they are, so that a crash loses at
    /// most the calls in flight.
    unwritten: Mutex<Vec<(Ticket, Ended)>>,
}

#[derive(Debug, ThisError)]
enum Refused {
    #[error("what was set aside is used up")]
    CapReached,
    #[error("the job is not this worker's any more")]
    Lost,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
super::may_be_storage!(Refused);

impl From<HoldError> for Refused {
    fn from(error: HoldError) -> Self {
        match error {
            HoldError::Lost => Self::Lost,
            HoldError::Storage(error) => Self::Storage(error),
        }
    }
}

impl From<Refused> for ProviderError {
    fn from(refused: Refused) -> Self {
        let cause = { refused.as_storage_error() }.and_then(|it| Some(it.source()?.to_string()));
        match refused {
            Refused::CapReached => Self::CapReached,
            other => Self::NotWrittenDown {
                why: cause.map_or(other.to_string(), |cause| format!("{other}: {cause}")),
            },
        }
    }
}

impl WriteDownCalls {
    pub fn new(core: Arc<Core>, hold: Hold) -> Self {
        Self {
            core,
            hold,
            last: AtomicI64::new(0),
            unwritten: Mutex::default(),
        }
    }

    fn key(&self, ticket: Ticket) -> PaidCallKey {
        PaidCallKey {
            account: self.hold.account,
            job: self.hold.job,
            epoch: self.hold.epoch,
            ticket,
        }
    }

    /// Locks the job's row, so that concurrent calls cannot spend the same money, and a worker
    /// without the lease spends nothing.
    async fn begun(
        &self,
        call: &PaidCall,
        ticket: Ticket,
        unwritten: &[(Ticket, Ended)],
    ) -> Result<Begun, Refused> {
        let begin = |mut work: Box<dyn Transaction>, job: Job, now| async move {
            let cost = self
                .settled(work.as_mut(), job.cost, unwritten, now)
                .await?;
            let answer = work.paid_calls().answer(job.account, job.id, &call.step);
            let (cost, begun) = match answer.await? {
                Some(answer) if unwritten.is_empty() => return Ok(Begun::Before(answer)),
                Some(answer) => (cost, Begun::Before(answer)),
                None => {
                    let cost = cost.with_begun(call.most).ok_or(Refused::CapReached)?;
                    work.paid_calls()
                        .begin(self.key(ticket), &call.step, now)
                        .await?;
                    (cost, Begun::Now(ticket))
                }
            };
            work.jobs().save(&Job { cost, ..job }).await?;
            work.commit().await?;
            Ok(begun)
        };
        self.core.while_held(self.hold, begin).await
    }

    async fn ended(&self, ended: &[(Ticket, Ended)]) -> Result<(), Refused> {
        let end = |mut work: Box<dyn Transaction>, job: Job, now| async move {
            let cost = self.settled(work.as_mut(), job.cost, ended, now).await?;
            work.jobs().save(&Job { cost, ..job }).await?;
            Ok(work.commit().await?)
        };
        self.core.while_held(self.hold, end).await
    }

    /// Saves outcomes, each once, because an earlier commit with an unknown result may have saved them.
    async fn settled(
        &self,
        work: &mut dyn Transaction,
        mut cost: JobCost,
        ended: &[(Ticket, Ended)],
        now: DateTime<Utc>,
    ) -> Result<JobCost, StorageError> {
        for (ticket, ended) in ended {
            let key = self.key(*ticket);
            if work.paid_calls().end(key, ended, now).await? {
                cost = cost.with_ended(ticket.most, ended.cost, ended.calls);
            }
        }
        Ok(cost)
    }

    fn unwritten(&self) -> MutexGuard<'_, Vec<(Ticket, Ended)>> {
        self.unwritten
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl CallJournal for WriteDownCalls {
    async fn begin(&self, call: &PaidCall) -> Result<Begun, ProviderError> {
        let ticket = Ticket {
            number: self.last.fetch_add(1, Ordering::Relaxed) + 1,
            most: call.most,
        };
        let unwritten = std::mem::take(&mut *self.unwritten());
        let begun = self.begun(call, ticket, &unwritten).await;
        if begun.is_err() {
            self.unwritten().extend(unwritten);
        }
        Ok(begun?)
    }

    async fn end(&self, ticket: Ticket, ended: Ended) -> Result<(), ProviderError> {
        let ended = [(ticket, ended)];
        let outcome = self.ended(&ended).await;
        if outcome.is_err() {
            self.unwritten().extend(ended);
        }
        Ok(outcome?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobCost;
    use crate::money::MicroUsd;
    use crate::ports::call_journal::Answered;
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

    fn an_answer() -> Answered {
        Answered {
            body: b"[1]".to_vec(),
            at: now(),
        }
    }

    fn call() -> PaidCall {
        PaidCall {
            step: "serper 1".to_owned(),
            most: MicroUsd(CALL),
        }
    }

    fn journal(storage: &MemoryStorage, epoch: i64) -> WriteDownCalls {
        let hold = Hold {
            epoch,
            ..Hold::of(&a_job())
        };
        WriteDownCalls::new(Arc::new(core(storage.port())), hold)
    }

    #[tokio::test]
    async fn a_call_counts_at_its_most_from_before_it_is_made_until_its_cost_is_known() {
        let storage = running(100, 60);
        let journal = journal(&storage, 1);
        let Ok(Begun::Now(ticket)) = journal.begin(&call()).await else {
            panic!("it may be made");
        };
        let begun = written(&storage, 1).unwrap();
        assert_eq!((begun.step.as_str(), begun.ended), ("serper 1", None));
        let stood = cost(&storage);
        assert_eq!((stood.spent, stood.calls), (MicroUsd(100), 1));
        let ended = Ended {
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
    async fn a_call_that_may_cost_more_than_is_left_is_not_made() {
        let storage = running(100, 61);
        let before = storage.state();
        let refused = journal(&storage, 1).begin(&call()).await;
        assert_eq!(refused, Err(ProviderError::CapReached));
        assert_eq!(storage.commits(), 0);
        assert_eq!(storage.state(), before);
    }

    #[tokio::test]
    async fn what_was_answered_before_is_not_paid_again_even_when_nothing_is_left() {
        let storage = running(100, 100);
        storage.put(|state| {
            let ended = Ended {
                answer: Some(an_answer().body),
                ..Ended::default()
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
        assert_eq!(begun, Ok(Begun::Before(an_answer())));
        assert_eq!(storage.state(), before);
    }

    #[tokio::test]
    async fn a_worker_that_lost_the_job_makes_no_call() {
        let storage = running(100, 0);
        let before = storage.state();
        let refused = journal(&storage, 7).begin(&call()).await;
        assert!(
            matches!(refused, Err(ProviderError::NotWrittenDown { .. })),
            "{refused:?}"
        );
        assert_eq!(storage.state(), before);
    }

    #[tokio::test]
    async fn without_the_storage_no_call_is_made() {
        let storage = running(100, 0);
        storage.fail_at(1, Fault::Broken);
        let refused = journal(&storage, 1).begin(&call()).await;
        let Err(ProviderError::NotWrittenDown { why }) = refused else {
            panic!("{refused:?}");
        };
        assert!(why.contains("the test wants it so"), "{why}");
        assert_eq!(written(&storage, 1), None);
    }

    #[tokio::test]
    async fn what_could_not_be_written_down_is_written_with_the_next_call_and_once() {
        let storage = running(200, 0);
        let journal = journal(&storage, 1);
        let Ok(Begun::Now(ticket)) = journal.begin(&call()).await else {
            panic!("it may be made");
        };
        let stood = cost(&storage);
        assert_eq!((stood.spent, stood.calls), (MicroUsd(CALL), 1));
        let ended = Ended {
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
        assert!(matches!(next, Ok(Begun::Now(_))), "{next:?}");
        assert_eq!(written(&storage, 1).unwrap().ended, Some((ended, now())));
        assert_eq!(written(&storage, 2).unwrap().ended, None);
        let stood = cost(&storage);
        assert_eq!((stood.spent, stood.calls), (MicroUsd(5 + CALL), 2));
        assert!(journal.unwritten().is_empty());
    }
}
