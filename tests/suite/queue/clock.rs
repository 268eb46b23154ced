//! Workers with a wrong clock detect it on either database.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    job::{
        clock_check::{ClockCheck, ClockFault},
        policy::QueuePolicy,
    },
    ports::clock::Clock,
    use_cases::check_clock_skew::clock_fault,
};
use harness::{databases::TestDatabase, on_every_database};

on_every_database![a_clock_one_hour_off_is_detected];

/// The machine's clock with an offset.
struct Set(TimeDelta);

impl Clock for Set {
    #[expect(clippy::disallowed_methods, reason = "the database has this clock too")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now() + self.0
    }
}

async fn a_clock_one_hour_off_is_detected(db: TestDatabase) {
    let fault_at = async |by: TimeDelta| {
        let (storage, policy) = (db.port(), QueuePolicy::default());
        let mut seen = ClockCheck::default();
        let clock = Set(by);
        let fault = clock_fault(storage.as_ref(), &clock, &policy, &mut seen);
        fault.await.unwrap()
    };
    assert_eq!(fault_at(TimeDelta::zero()).await, None);
    for hour in [TimeDelta::hours(1), -TimeDelta::hours(1)] {
        let Some(ClockFault::Skewed(by)) = fault_at(hour).await else {
            panic!("{hour} is not noticed");
        };
        assert!((by - hour).abs() < TimeDelta::seconds(5), "{by}");
    }
}
