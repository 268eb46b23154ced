use chrono::{DateTime, Days, SubsecRound, Utc};
use domain::ports::clock::Clock;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The machine's clock, in whole microseconds.
pub struct SystemClock;

static PROCESS_START: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that everyone else asks"
    )]
    fn now(&self) -> DateTime<Utc> {
        Utc::now().trunc_subsecs(6)
    }

    fn elapsed(&self) -> Duration {
        PROCESS_START.elapsed()
    }
}

/// The machine's clock minus some days: the demo measures a simulated past with it.
pub struct BackdatedClock {
    pub days: u32,
}

impl Clock for BackdatedClock {
    fn now(&self) -> DateTime<Utc> {
        SystemClock.now() - Days::new(self.days.into())
    }

    fn elapsed(&self) -> Duration {
        SystemClock.elapsed()
    }
}
