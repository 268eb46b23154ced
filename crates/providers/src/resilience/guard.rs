//! Combines retries, bulkhead, pacer and breaker for the calls to one supplier.

use super::breaker::{Breaker, State};
use super::budget::RetryBudget;
use super::bulkhead::Bulkhead;
use super::jitter::Jitter;
use super::pacer::Pacer;
use super::refusals::CallTarget;
use super::settings::ResilienceSettings;
use super::{Billing, CallFailure, Repeat, refusals};
use domain::ports::{randomness::Randomness, search_results::ProviderError};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout};

pub(crate) struct Guard {
    target: CallTarget,
    settings: ResilienceSettings,
    jitter: Jitter,
    budget: RetryBudget,
    bulkhead: Bulkhead,
    pacer: Pacer,
    breaker: Breaker,
}

#[derive(Debug)]
pub(crate) struct CallSuccess<T> {
    pub value: T,
    pub attempts: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FailedCall {
    pub error: ProviderError,
    pub attempts: u32,
    /// State of the last attempt; earlier ones were certainly not billed.
    pub repeat: Repeat,
}

impl Guard {
    pub(crate) fn new(settings: ResilienceSettings, randomness: Arc<dyn Randomness>) -> Self {
        let jitter = Jitter(randomness);
        Self {
            target: CallTarget {
                provider: "unnamed",
                operation: "call",
            },
            budget: RetryBudget::new(settings.retry_share, settings.retry_reserve),
            bulkhead: Bulkhead::new(settings.concurrent_calls),
            pacer: Pacer::new(settings.calls_per_second),
            breaker: Breaker::new(settings.breaker.clone(), jitter.clone()),
            jitter,
            settings,
        }
    }

    pub(crate) fn with_target(self, provider: &'static str, operation: &'static str) -> Self {
        let target = CallTarget {
            provider,
            operation,
        };
        report_state(target, State::Closed);
        // Registers the counter at 0, so that its first increase is visible.
        metrics::counter!("provider_cost_micro_usd_total", "provider" => provider).absolute(0);
        Self { target, ..self }
    }

    pub(crate) const fn provider(&self) -> &'static str {
        self.target.provider
    }

    pub(crate) async fn call<T, F>(
        &self,
        billing: Billing,
        attempt: impl Fn() -> F + Send + Sync,
    ) -> Result<CallSuccess<T>, FailedCall>
    where
        T: Send,
        F: Future<Output = Result<T, CallFailure>> + Send,
    {
        let mut attempts = 1;
        loop {
            let failure = match self.attempt_once(attempt()).await {
                Ok(value) => {
                    self.budget.earn();
                    return Ok(CallSuccess { value, attempts });
                }
                Err(failure) => failure,
            };
            let Some(pause) = self.pause_before_retry(&failure, billing, attempts) else {
                let CallFailure { error, repeat } = failure;
                return Err(FailedCall {
                    error,
                    attempts: attempts - u32::from(repeat == Repeat::NotMade),
                    repeat,
                });
            };
            tracing::debug!(
                code = failure.error.code(),
                ?pause,
                "the call is made again"
            );
            sleep(pause).await;
            attempts += 1;
        }
    }

    async fn attempt_once<T>(
        &self,
        attempt: impl Future<Output = Result<T, CallFailure>> + Send,
    ) -> Result<T, CallFailure> {
        let _place = self.bulkhead.acquire().await;
        self.pacer.wait().await;
        let admission = self.breaker.admit().map_err(|error| CallFailure {
            error,
            repeat: Repeat::NotMade,
        })?;
        let began = Instant::now();
        let outcome = timeout(self.settings.call_timeout, attempt)
            .await
            .unwrap_or(Err(CallFailure {
                error: ProviderError::TimedOut,
                repeat: Repeat::Uncertain,
            }));
        match &outcome {
            Ok(_) => {
                self.bulkhead.grow();
                refusals::record(self.target, None);
                admission.succeeded();
            }
            Err(failure) if is_supplier_failure(&failure.error) => {
                if let ProviderError::Malformed { problem } = &failure.error {
                    tracing::warn!(
                        provider = self.target.provider,
                        problem,
                        "A supplier's answer cannot be read."
                    );
                }
                admission.failed();
            }
            Err(failure) if is_account_refusal(&failure.error) => {
                tracing::warn!(
                    provider = self.target.provider,
                    code = failure.error.code(),
                    "A supplier refuses every call: {}. Look at its key and its account.",
                    failure.error
                );
                refusals::record(self.target, Some(&failure.error));
                admission.refused(failure.error.clone());
            }
            Err(failure) => {
                match &failure.error {
                    ProviderError::RateLimited { .. } => self.bulkhead.shrink(),
                    ProviderError::Refused { reason } => tracing::warn!(
                        provider = self.target.provider,
                        reason,
                        "A supplier refused a query."
                    ),
                    _ => {}
                }
                admission.succeeded();
            }
        }
        let code = outcome.as_ref().err().map(|failure| failure.error.code());
        record_duration(self.target, code.unwrap_or("ok"), began.elapsed());
        report_state(self.target, self.breaker.state());
        outcome
    }

    /// `None` to give up.
    fn pause_before_retry(
        &self,
        failure: &CallFailure,
        billing: Billing,
        attempts: u32,
    ) -> Option<Duration> {
        let may_repeat = match failure.repeat {
            Repeat::Safe => true,
            Repeat::Uncertain => billing == Billing::Free,
            Repeat::Billed(_) | Repeat::Pointless | Repeat::NotMade => false,
        };
        if !may_repeat || attempts > self.settings.max_retries {
            return None;
        }
        let pause = match &failure.error {
            ProviderError::RateLimited {
                retry_after: Some(delay),
            } => (*delay <= self.settings.max_retry_after).then_some(*delay),
            ProviderError::RateLimited { retry_after: None } | ProviderError::Unavailable => {
                Some(self.full_jitter(attempts))
            }
            _ => None,
        };
        pause.filter(|_| self.budget.spend())
    }

    fn full_jitter(&self, attempts: u32) -> Duration {
        let doubled = self
            .settings
            .first_pause
            .saturating_mul(1 << (attempts - 1).min(16));
        self.jitter.up_to(doubled.min(self.settings.max_pause))
    }
}

fn record_duration(target: CallTarget, outcome: &'static str, took: Duration) {
    metrics::histogram!(
        "http_client_request_duration_seconds",
        "provider" => target.provider,
        "operation" => target.operation,
        "outcome" => outcome,
    )
    .record(took);
}

fn report_state(target: CallTarget, state: State) {
    metrics::gauge!(
        "provider_breaker_state",
        "provider" => target.provider,
        "operation" => target.operation,
    )
    .set(state.number());
}

const fn is_account_refusal(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Unauthorized | ProviderError::OutOfFunds
    )
}

/// Failures of the supplier itself; rejecting one query is a healthy response.
const fn is_supplier_failure(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Unavailable | ProviderError::TimedOut | ProviderError::Malformed { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Full;

    impl Randomness for Full {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0xff);
        }
    }

    fn guard(settings: ResilienceSettings) -> Guard {
        Guard::new(settings, Arc::new(Full))
    }

    /// Number of calls to a supplier that always fails, and the time they took.
    async fn calls(guard: &Guard, billing: Billing, failure: CallFailure) -> (u32, Duration) {
        let (count, begin) = (AtomicU32::new(0), Instant::now());
        let outcome: Result<CallSuccess<()>, _> = guard
            .call(billing, || {
                count.fetch_add(1, Ordering::Relaxed);
                let failure = failure.clone();
                async { Err(failure) }
            })
            .await;
        let failed = outcome.expect_err("it always fails");
        let count = count.into_inner();
        assert_eq!((failed.error, failed.attempts), (failure.error, count));
        (count, begin.elapsed())
    }

    fn failing(error: ProviderError, repeat: Repeat) -> CallFailure {
        CallFailure { error, repeat }
    }

    #[tokio::test(start_paused = true)]
    async fn outage_is_retried_twice_with_growing_pauses() {
        let outage = failing(ProviderError::Unavailable, Repeat::Safe);
        let (count, waited) = calls(
            &guard(ResilienceSettings::default()),
            Billing::PerCall,
            outage,
        )
        .await;
        assert_eq!((count, waited.as_millis()), (3, 1500));
    }

    #[tokio::test(start_paused = true)]
    async fn possibly_billed_calls_are_not_retried() {
        let guard = guard(ResilienceSettings::default());
        let billed = failing(ProviderError::Unavailable, Repeat::Billed(600));
        assert_eq!(calls(&guard, Billing::PerCall, billed).await.0, 1);
        let reset = failing(ProviderError::Unavailable, Repeat::Uncertain);
        assert_eq!(calls(&guard, Billing::PerCall, reset.clone()).await.0, 1);
        assert_eq!(calls(&guard, Billing::Free, reset).await.0, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_honored_up_to_a_maximum() {
        let limited = |seconds| {
            let retry_after = Some(Duration::from_secs(seconds));
            failing(ProviderError::RateLimited { retry_after }, Repeat::Safe)
        };
        let guard = guard(ResilienceSettings::default());
        let (count, waited) = calls(&guard, Billing::PerCall, limited(7)).await;
        assert_eq!((count, waited.as_secs()), (3, 14));
        assert_eq!(
            calls(&guard, Billing::PerCall, limited(21)).await,
            (1, Duration::ZERO)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn retries_end_when_the_budget_is_spent() {
        let mut settings = ResilienceSettings {
            retry_reserve: 3.0,
            ..Default::default()
        };
        settings.breaker.min_calls = 1000;
        let guard = guard(settings);
        let outage = failing(ProviderError::Unavailable, Repeat::Safe);
        assert_eq!(calls(&guard, Billing::Free, outage.clone()).await.0, 3);
        assert_eq!(calls(&guard, Billing::Free, outage.clone()).await.0, 2);
        assert_eq!(calls(&guard, Billing::Free, outage).await.0, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_and_unreadable_answers_are_not_repeated() {
        for error in [
            ProviderError::Unauthorized,
            ProviderError::OutOfFunds,
            ProviderError::Refused {
                reason: "no".into(),
            },
            ProviderError::Malformed {
                problem: "no JSON".into(),
            },
            ProviderError::TimedOut,
        ] {
            // A fresh guard each time: account refusals open the breaker.
            let guard = guard(ResilienceSettings::default());
            assert_eq!(
                calls(&guard, Billing::Free, failing(error, Repeat::Safe))
                    .await
                    .0,
                1
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn hanging_call_times_out() {
        let guard = guard(ResilienceSettings::default());
        let begin = Instant::now();
        let outcome: Result<CallSuccess<()>, _> =
            guard.call(Billing::PerCall, std::future::pending).await;
        let failed = outcome.expect_err("it never answers");
        assert_eq!(
            (failed.error, failed.repeat),
            (ProviderError::TimedOut, Repeat::Uncertain)
        );
        assert_eq!(begin.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_breaker_spares_the_supplier() {
        let guard = guard(ResilienceSettings {
            max_retries: 0,
            ..Default::default()
        });
        let outage = failing(ProviderError::Unavailable, Repeat::Safe);
        for _ in 0..20 {
            assert_eq!(calls(&guard, Billing::Free, outage.clone()).await.0, 1);
        }
        // The future is created, but never polled.
        let called = AtomicU32::new(0);
        let outcome: Result<CallSuccess<()>, _> = guard
            .call(Billing::Free, || async {
                called.fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
            .await;
        let failed = outcome.expect_err("the breaker is open");
        assert_eq!(
            (failed.error, failed.attempts),
            (ProviderError::Unavailable, 0)
        );
        assert_eq!(called.into_inner(), 0);
    }
}
