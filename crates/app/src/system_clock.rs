//! The machine's clock.

use chrono::{DateTime, SubsecRound, Utc};
use domain::ports::clock::Clock;

/// The machine's clock, in whole microseconds.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that everyone else asks"
    )]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
    }
}
