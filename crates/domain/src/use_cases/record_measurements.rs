//! Stores what a rank check has measured so far: a crash costs only what is not here.

use super::{
    keep_leases::{GoOn, Hold, HoldError, go_on, held},
    measure_keyword::MeasuredKeyword,
};
use crate::{
    job::{Job, JobCost, policy::QueuePolicy, progress::Progress},
    ports::{
        clock::Clock,
        storage::{Storage, retrying},
    },
    results::{KeywordMeasurement, StagedFinding},
};
use std::sync::Arc;

pub struct RecordMeasurements {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl RecordMeasurements {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Facts, records, calls, progress and a renewed lease in one transaction; nothing when the
    /// hold is over. `in_vain` are the calls for keywords that are left for another attempt: they
    /// were made all the same. What calls cost is written down with each of them
    /// ([`WriteDownCalls`](super::write_down_calls::WriteDownCalls)).
    pub async fn run(
        &self,
        hold: Hold,
        measured: &[MeasuredKeyword],
        in_vain: u64,
        progress: &Progress,
    ) -> Result<GoOn, HoldError> {
        retrying(self.storage.as_ref(), || {
            self.once(hold, measured, in_vain, progress)
        })
        .await
    }

    async fn once(
        &self,
        hold: Hold,
        measured: &[MeasuredKeyword],
        in_vain: u64,
        progress: &Progress,
    ) -> Result<GoOn, HoldError> {
        let mut work = self.storage.write().await?;
        let job = held(work.as_mut(), hold).await?;
        let renewed = job.renewed(
            hold.epoch,
            Some(progress.clone()),
            self.clock.now(),
            &self.policy,
        )?;
        let job = counted(renewed, measured, in_vain);

        let facts: Vec<KeywordMeasurement> =
            measured.iter().map(|it| it.measurement.clone()).collect();
        let findings: Vec<StagedFinding> =
            measured.iter().flat_map(|it| it.findings.clone()).collect();
        work.measurements()
            .add(job.account, job.project, &facts)
            .await?;
        work.measurements()
            .stage(job.account, job.id, &findings)
            .await?;
        work.jobs().save(&job).await?;
        work.commit().await?;
        Ok(go_on(&job))
    }
}

fn counted(job: Job, measured: &[MeasuredKeyword], in_vain: u64) -> Job {
    let calls = measured.iter().fold(in_vain, |sum, it| sum + it.calls);
    let cost = JobCost {
        calls: job.cost.calls + calls,
        ..job.cost
    };
    Job { cost, ..job }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::Clock;
    use crate::test_support::{FakeStorage, FrozenClock, a_job};
    use chrono::TimeDelta;

    #[tokio::test]
    async fn a_worker_that_lost_its_lease_stores_nothing() {
        let clock = FrozenClock::default();
        let policy = QueuePolicy::default();
        let held_by_another = a_job()
            .claimed("a", clock.now(), &policy)
            .and_then(|job| job.swept(0.0, clock.now() + TimeDelta::seconds(45), &policy))
            .and_then(|job| job.claimed("b", clock.now() + TimeDelta::minutes(2), &policy))
            .unwrap();
        let storage = FakeStorage::default();
        storage.expect(|work| {
            work.jobs
                .expect_lock()
                .return_once(move |_, _| Ok(Some(held_by_another)));
            work.measurements.expect_add().never();
            work.measurements.expect_stage().never();
        });
        let storage = Arc::new(storage);
        let record = RecordMeasurements::new(
            Arc::<FakeStorage>::clone(&storage) as Arc<dyn Storage>,
            Arc::new(clock),
            policy,
        );
        let old = Hold {
            epoch: 1,
            ..Hold::of(&a_job())
        };
        assert!(matches!(
            record.run(old, &[], 0, &Progress::default()).await,
            Err(HoldError::Lost)
        ));
        assert_eq!(storage.commits(), 0);
    }

    #[test]
    fn calls_in_vain_were_made_all_the_same_and_what_they_cost_is_not_counted_twice() {
        let job = counted(a_job(), &[], 3);
        let before = a_job().cost;
        assert_eq!(job.cost.calls, before.calls + 3);
        assert_eq!(job.cost.spent, before.spent);
    }
}
