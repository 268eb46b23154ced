//! Circuit breaker: stops calls to a supplier that mostly fails or refuses the account, then probes it.

use super::{jitter::Jitter, settings::BreakerSettings};
use domain::ports::search_results::ProviderError;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

pub(super) struct Breaker {
    settings: BreakerSettings,
    jitter: Jitter,
    state: Mutex<BreakerState>,
}

struct BreakerState {
    phase: Phase,
    /// Number of the phase, so that a call from an earlier phase does not affect the current one.
    era: u64,
    /// Account refusals since the last success.
    refused: u32,
}

/// Consecutive refusals that open it. One alone may concern a single query, such as a firewall's 403.
const MIN_REFUSALS: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Closed,
    Probing,
    Open,
}

impl State {
    pub(super) const fn number(self) -> f64 {
        match self {
            Self::Closed => 0.0,
            Self::Probing => 1.0,
            Self::Open => 2.0,
        }
    }
}

enum Phase {
    /// Calls pass; time and failure of the recent ones.
    Closed(VecDeque<(Instant, bool)>),
    /// Calls fail with `error` until then.
    Open {
        until: Instant,
        error: ProviderError,
    },
    Probing {
        under_way: u32,
        succeeded: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum CallResult {
    Worked,
    Failed,
    Refused(ProviderError),
}

/// Permission for one call; dropping it without a result returns it.
pub(super) struct Admission<'b> {
    breaker: &'b Breaker,
    era: u64,
    is_recorded: bool,
}

impl Breaker {
    pub(super) fn new(settings: BreakerSettings, jitter: Jitter) -> Self {
        let state = BreakerState {
            phase: Phase::Closed(VecDeque::new()),
            era: 0,
            refused: 0,
        };
        Self {
            settings,
            jitter,
            state: Mutex::new(state),
        }
    }

    pub(super) fn admit(&self) -> Result<Admission<'_>, ProviderError> {
        self.with(|state| {
            if matches!(state.phase, Phase::Open { until, .. } if until <= Instant::now()) {
                state.enter(Phase::Probing {
                    under_way: 0,
                    succeeded: 0,
                });
            }
            match &mut state.phase {
                Phase::Closed(_) => {}
                Phase::Open { error, .. } => return Err(error.clone()),
                Phase::Probing {
                    under_way,
                    succeeded,
                } => {
                    if *under_way + *succeeded >= self.settings.probes {
                        return Err(ProviderError::Unavailable);
                    }
                    *under_way += 1;
                }
            }
            Ok(Admission {
                breaker: self,
                era: state.era,
                is_recorded: false,
            })
        })
    }

    pub(super) fn state(&self) -> State {
        self.with(|state| match state.phase {
            Phase::Closed(_) => State::Closed,
            Phase::Open { .. } => State::Open,
            Phase::Probing { .. } => State::Probing,
        })
    }

    fn record(&self, era: u64, verdict: CallResult) {
        self.with(|state| {
            if state.era != era {
                return;
            }
            let failed = verdict == CallResult::Failed;
            state.refused = match verdict {
                CallResult::Refused(_) => state.refused + 1,
                CallResult::Worked => 0,
                CallResult::Failed => state.refused,
            };
            let next = match (&mut state.phase, verdict) {
                (Phase::Probing { .. }, CallResult::Refused(error)) => Some(self.open(error)),
                (Phase::Closed(_), CallResult::Refused(error)) if state.refused >= MIN_REFUSALS => {
                    Some(self.open(error))
                }
                (Phase::Closed(calls), _) => self.after_call(calls, failed),
                (Phase::Probing { .. }, _) if failed => Some(self.open(ProviderError::Unavailable)),
                (
                    Phase::Probing {
                        under_way,
                        succeeded,
                    },
                    _,
                ) => {
                    *under_way -= 1;
                    *succeeded += 1;
                    (*succeeded >= self.settings.probes).then(|| Phase::Closed(VecDeque::new()))
                }
                (Phase::Open { .. }, _) => None,
            };
            if let Some(next) = next {
                state.enter(next);
            }
        });
    }

    #[expect(clippy::cast_precision_loss, reason = "calls of half a minute")]
    fn after_call(&self, calls: &mut VecDeque<(Instant, bool)>, failed: bool) -> Option<Phase> {
        let now = Instant::now();
        calls.push_back((now, failed));
        while calls
            .front()
            .is_some_and(|(at, _)| now - *at > self.settings.window)
        {
            calls.pop_front();
        }
        let failures = calls.iter().filter(|(_, failed)| *failed).count() as f64;
        let enough = calls.len() >= self.settings.min_calls;
        let too_many = failures >= self.settings.failure_share * calls.len() as f64;
        (failed && enough && too_many).then(|| self.open(ProviderError::Unavailable))
    }

    fn open(&self, error: ProviderError) -> Phase {
        Phase::Open {
            until: Instant::now() + self.jitter.around(self.settings.open_for),
            error,
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut BreakerState) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl BreakerState {
    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.era += 1;
    }
}

impl Admission<'_> {
    pub(super) fn succeeded(mut self) {
        self.is_recorded = true;
        self.breaker.record(self.era, CallResult::Worked);
    }

    pub(super) fn failed(mut self) {
        self.is_recorded = true;
        self.breaker.record(self.era, CallResult::Failed);
    }

    pub(super) fn refused(mut self, error: ProviderError) {
        self.is_recorded = true;
        self.breaker.record(self.era, CallResult::Refused(error));
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        if self.is_recorded {
            return;
        }
        self.breaker.with(|state| {
            if let Phase::Probing { under_way, .. } = &mut state.phase
                && state.era == self.era
            {
                *under_way -= 1;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::randomness::Randomness;
    use std::{sync::Arc, time::Duration};

    struct Middle;

    impl Randomness for Middle {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0x80);
        }
    }

    fn breaker() -> Breaker {
        Breaker::new(BreakerSettings::default(), Jitter(Arc::new(Middle)))
    }

    fn after(breaker: &Breaker, failures: u32) {
        for _ in 0..failures {
            breaker.admit().expect("closed").failed();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn half_of_twenty_calls_failing_opens_it() {
        let breaker = breaker();
        for _ in 0..10 {
            breaker.admit().expect("closed").succeeded();
        }
        after(&breaker, 9);
        assert!(breaker.admit().is_ok());
        after(&breaker, 1);
        assert!(breaker.admit().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn fewer_calls_and_old_failures_do_not_open_it() {
        let breaker = breaker();
        after(&breaker, 19);
        tokio::time::advance(Duration::from_secs(31)).await;
        after(&breaker, 19);
        assert!(breaker.admit().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn three_good_probes_close_it() {
        let breaker = breaker();
        after(&breaker, 20);
        tokio::time::advance(Duration::from_secs(31)).await;
        let probes = [breaker.admit(), breaker.admit(), breaker.admit()];
        assert!(breaker.admit().is_err());
        for probe in probes {
            probe.expect("a probe").succeeded();
        }
        assert!(breaker.admit().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn failed_probe_reopens_it_and_dropped_one_is_returned() {
        let breaker = breaker();
        after(&breaker, 20);
        tokio::time::advance(Duration::from_secs(31)).await;
        drop([breaker.admit(), breaker.admit(), breaker.admit()]);
        breaker.admit().expect("a probe").failed();
        assert!(breaker.admit().is_err());
        tokio::time::advance(Duration::from_secs(31)).await;
        assert!(breaker.admit().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn consecutive_refusals_open_it_with_their_error() {
        let breaker = breaker();
        let refuse = |times: u32| {
            for _ in 0..times {
                let admission = breaker.admit().expect("closed");
                admission.refused(ProviderError::Unauthorized);
            }
        };
        refuse(2);
        breaker.admit().expect("closed").succeeded();
        refuse(2);
        assert!(breaker.state() == State::Closed);
        refuse(1);
        assert_eq!(breaker.admit().err(), Some(ProviderError::Unauthorized));
        tokio::time::advance(Duration::from_secs(31)).await;
        breaker
            .admit()
            .expect("a probe")
            .refused(ProviderError::OutOfFunds);
        assert_eq!(breaker.admit().err(), Some(ProviderError::OutOfFunds));
        tokio::time::advance(Duration::from_secs(31)).await;
        for _ in 0..3 {
            breaker.admit().expect("a probe").succeeded();
        }
        assert!(breaker.state() == State::Closed);
    }

    #[tokio::test(start_paused = true)]
    async fn late_call_of_an_earlier_phase_is_ignored() {
        let breaker = breaker();
        let late = breaker.admit().expect("closed");
        after(&breaker, 20);
        tokio::time::advance(Duration::from_secs(31)).await;
        let probe = breaker.admit().expect("a probe");
        late.failed();
        probe.succeeded();
        assert!(breaker.admit().is_ok());
    }
}
