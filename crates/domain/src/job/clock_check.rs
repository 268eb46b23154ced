//! Whether this process's clock is reliable enough to evaluate the leases of other workers.
//!
//! A clock set forward by an hour would see every lease as lost; one set back would grant leases
//! that have already expired. Fencing prevents data loss, but every job would run twice.

use super::policy::QueuePolicy;
use chrono::{DateTime, TimeDelta, Utc};
use std::time::Duration;

/// Maximum clock difference.
pub const TOLERANCE: TimeDelta = TimeDelta::seconds(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockFault {
    /// Ahead of the database's clock (negative: behind), which all processes share.
    Skewed(TimeDelta),
    /// Set by so much recently: leases granted before use the old time.
    Stepped(TimeDelta),
}

#[derive(Debug, Clone, Copy, Default)]
pub struct ClockCheck {
    /// System time of the process start, derived from the last reading.
    origin: Option<DateTime<Utc>>,
    /// When a step was detected, in monotonic time, and its size.
    last_step: Option<(Duration, TimeDelta)>,
}

impl ClockCheck {
    /// Checks the clock, which reads `now`. `elapsed` is the monotonic time since the process
    /// start; `shared` is the database's time.
    pub fn check(
        &mut self,
        now: DateTime<Utc>,
        elapsed: Duration,
        shared: DateTime<Utc>,
        policy: &QueuePolicy,
    ) -> Result<(), ClockFault> {
        let origin = now - TimeDelta::from_std(elapsed).unwrap_or(TimeDelta::MAX);
        let step = self.origin.map_or(TimeDelta::zero(), |it| origin - it);
        self.origin = Some(origin);
        if step.abs() > TOLERANCE {
            self.last_step = Some((elapsed, step));
        }
        let skew = now - shared;
        if skew.abs() > TOLERANCE {
            return Err(ClockFault::Skewed(skew));
        }
        // By then, every live worker has renewed its leases with the new time.
        let settled = (policy.lease + policy.heartbeat).to_std();
        let settled = settled.unwrap_or(Duration::MAX);
        match self.last_step {
            Some((at, step)) if elapsed < at.saturating_add(settled) => {
                Err(ClockFault::Stepped(step))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::clock::Clock, test_support::FrozenClock};

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[test]
    fn a_clock_close_to_the_database_is_trusted() {
        let (policy, start) = (QueuePolicy::default(), FrozenClock::default().now());
        let mut watch = ClockCheck::default();
        for at in [0, 10, 3_600, 90_000] {
            let now = start + TimeDelta::seconds(at);
            let shared = now + TimeDelta::seconds(4);
            let elapsed = seconds(at.unsigned_abs());
            assert_eq!(watch.check(now, elapsed, shared, &policy), Ok(()));
        }
    }

    #[test]
    fn a_clock_far_from_the_database_is_not_trusted() {
        let (policy, start) = (QueuePolicy::default(), FrozenClock::default().now());
        for skew in [
            TimeDelta::hours(1),
            -TimeDelta::hours(1),
            TimeDelta::seconds(6),
        ] {
            let outcome = ClockCheck::default().check(start + skew, seconds(0), start, &policy);
            assert_eq!(outcome, Err(ClockFault::Skewed(skew)));
        }
    }

    #[test]
    fn a_stepped_clock_is_trusted_once_leases_are_renewed() {
        let (policy, start) = (QueuePolicy::default(), FrozenClock::default().now());
        let hour = TimeDelta::hours(1);
        for step in [hour, -hour] {
            let mut watch = ClockCheck::default();
            assert_eq!(watch.check(start, seconds(0), start, &policy), Ok(()));
            // The database is on the same machine, so its clock steps too.
            let mut at = |after: i64| {
                let now = start + step + TimeDelta::seconds(after);
                watch.check(now, seconds(after.unsigned_abs()), now, &policy)
            };
            assert_eq!(at(10), Err(ClockFault::Stepped(step)));
            assert_eq!(at(64), Err(ClockFault::Stepped(step)));
            assert_eq!(at(65), Ok(()));
            assert_eq!(at(75), Ok(()));
        }
    }
}
