//! Stores what AI engines have answered so far: a crash costs only what is not here.

use super::{
    ask_engine::AskedAnswer,
    keep_leases::{GoOn, Hold, HoldError, go_on, held},
};
use crate::{
    ids::{AnswerId, IdMint},
    job::{Job, JobCost, policy::QueuePolicy, progress::Progress},
    kept_answers::KeptAnswer,
    ports::{
        clock::Clock,
        storage::{Storage, retrying},
    },
};
use std::{collections::BTreeSet, sync::Arc};

pub struct RecordAnswers {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
    policy: QueuePolicy,
}

impl RecordAnswers {
    pub fn new(
        storage: Arc<dyn Storage>,
        clock: Arc<dyn Clock>,
        mint: Arc<IdMint>,
        policy: QueuePolicy,
    ) -> Self {
        Self {
            storage,
            clock,
            mint,
            policy,
        }
    }

    /// Answers, calls, progress and a renewed lease in one transaction; nothing when the hold is
    /// over. `in_vain` are the calls for questions that are left for another attempt: they were made
    /// all the same.
    pub async fn run(
        &self,
        hold: Hold,
        asked: &[AskedAnswer],
        in_vain: u64,
        progress: &Progress,
    ) -> Result<GoOn, HoldError> {
        retrying(self.storage.as_ref(), || {
            self.once(hold, asked, in_vain, progress)
        })
        .await
    }

    async fn once(
        &self,
        hold: Hold,
        asked: &[AskedAnswer],
        in_vain: u64,
        progress: &Progress,
    ) -> Result<GoOn, HoldError> {
        let mut work = self.storage.write().await?;
        let now = self.clock.now();
        let job = held(work.as_mut(), hold).await?;
        let job = job.renewed(hold.epoch, Some(progress.clone()), now, &self.policy)?;
        let calls = asked.iter().fold(in_vain, |sum, it| sum + it.calls);
        let cost = JobCost {
            calls: job.cost.calls + calls,
            ..job.cost
        };
        let job = Job { cost, ..job };
        if !asked.is_empty() {
            let ids = AnswerId::mint_ascending(&self.mint, asked.len());
            let kept: Vec<KeptAnswer> = { ids.into_iter().zip(asked) }
                .map(|(id, it)| KeptAnswer {
                    id,
                    job: job.id,
                    answer: it.answer.clone(),
                })
                .collect();
            work.answers().keep(job.account, job.project, &kept).await?;
            let engines: BTreeSet<&String> = asked.iter().map(|it| &it.answer.engine).collect();
            let engines: Vec<String> = engines.into_iter().cloned().collect();
            work.ai_models()
                .note_use(job.account, &engines, now)
                .await?;
        }
        work.jobs().save(&job).await?;
        work.commit().await?;
        Ok(go_on(&job))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{CountingRandomness, FakeStorage, FrozenClock, a_job};
    use chrono::TimeDelta;

    #[tokio::test]
    async fn a_worker_that_lost_its_lease_keeps_no_answer() {
        let clock = FrozenClock::default();
        let policy = QueuePolicy::default();
        let held_by_another = a_job()
            .claimed("a", clock.now(), &policy)
            .and_then(|job| job.swept(0.0, clock.now() + TimeDelta::seconds(45), &policy))
            .and_then(|job| job.claimed("b", clock.now() + TimeDelta::minutes(2), &policy))
            .unwrap();
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            work.jobs
                .expect_lock()
                .return_once(move |_, _| Ok(Some(held_by_another)));
            work.answers.expect_keep().never();
        });
        let clock: Arc<dyn Clock> = Arc::new(clock);
        let mint = IdMint::new(Arc::clone(&clock), Arc::new(CountingRandomness::default()));
        let record = RecordAnswers::new(
            Arc::<FakeStorage>::clone(&storage) as Arc<dyn Storage>,
            clock,
            Arc::new(mint),
            policy,
        );
        let old = Hold {
            epoch: 1,
            ..Hold::of(&a_job())
        };
        let outcome = record.run(old, &[], 0, &Progress::default()).await;
        assert!(matches!(outcome, Err(HoldError::Lost)));
        assert_eq!(storage.commits(), 0);
    }
}
