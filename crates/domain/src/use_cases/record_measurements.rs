//! Stores what a rank check has measured so far: a crash costs only what is not here.

use super::{
    keep_lease::{GoOn, Hold, HoldError, go_on, held},
    measure_keyword::MeasuredKeyword,
};
use crate::{
    job::{Job, JobCost, policy::QueuePolicy, progress::Progress},
    money::MicroUsd,
    ports::{
        clock::Clock,
        search_results::Spent,
        storage::{Storage, retrying},
    },
    results::{KeywordMeasurement, StagedFinding},
};
use std::sync::Arc;

/// Records measurements.
pub struct RecordMeasurements {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: QueuePolicy,
}

impl RecordMeasurements {
    /// On this storage and clock, with these limits.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, policy: QueuePolicy) -> Self {
        Self {
            storage,
            clock,
            policy,
        }
    }

    /// Facts, records, cost, progress and a renewed lease in one transaction; nothing when the
    /// hold is over. `in_vain` is what was spent on keywords that are left for another attempt:
    /// it is spent all the same.
    pub async fn run(
        &self,
        hold: Hold,
        measured: &[MeasuredKeyword],
        in_vain: Spent,
        progress: &Progress,
    ) -> Result<GoOn, HoldError> {
        retrying(|| self.once(hold, measured, in_vain, progress)).await
    }

    async fn once(
        &self,
        hold: Hold,
        measured: &[MeasuredKeyword],
        in_vain: Spent,
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
        let job = charged(renewed, measured, in_vain);

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

fn charged(job: Job, measured: &[MeasuredKeyword], in_vain: Spent) -> Job {
    let each = measured.iter().map(|it| Spent {
        calls: it.calls,
        cost: it.cost,
    });
    let spent = each.fold(in_vain, Spent::and);
    let cost = JobCost {
        calls: job.cost.calls + spent.calls,
        spent: MicroUsd(job.cost.spent.0.saturating_add(spent.cost.0)),
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
            record
                .run(old, &[], Spent::default(), &Progress::default())
                .await,
            Err(HoldError::Lost)
        ));
        assert_eq!(storage.commits(), 0);
    }

    #[test]
    fn what_was_spent_in_vain_is_spent() {
        let in_vain = Spent::on(3, MicroUsd(200));
        let job = charged(a_job(), &[], in_vain);
        let before = a_job().cost;
        assert_eq!(job.cost.calls, before.calls + 3);
        assert_eq!(job.cost.spent, MicroUsd(before.spent.0 + 600));
    }
}
