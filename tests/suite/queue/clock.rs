//! Workers whose clock was set: they notice on either database, and leave what others do alone.

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

on_every_database![an_hour_more_or_less_is_noticed];

/// The machine's clock, set by so much.
struct Set(TimeDelta);

impl Clock for Set {
    #[expect(clippy::disallowed_methods, reason = "the database has this clock too")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now() + self.0
    }
}

async fn an_hour_more_or_less_is_noticed(db: TestDatabase) {
    let told = async |by: TimeDelta| {
        let (storage, policy) = (db.port(), QueuePolicy::default());
        let mut seen = ClockCheck::default();
        let clock = Set(by);
        let told = clock_fault(storage.as_ref(), &clock, &policy, &mut seen);
        told.await.unwrap()
    };
    assert_eq!(told(TimeDelta::zero()).await, None);
    for hour in [TimeDelta::hours(1), -TimeDelta::hours(1)] {
        let Some(ClockFault::Skewed(by)) = told(hour).await else {
            panic!("{hour} is not noticed");
        };
        assert!((by - hour).abs() < TimeDelta::seconds(5), "{by}");
    }
}
