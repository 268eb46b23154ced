//! Failures that decide how an attempt ends.

use super::WorkerContext;
use crate::provider_errors::{attempt_error, retry_delay, sentence};
use domain::job::Job;
use domain::ports::search_results::ProviderError;
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::measure_keyword::MeasuredKeyword;

#[derive(Default)]
pub(super) struct Failures {
    transient: u64,
    last: Option<ProviderError>,
    /// Further calls would fail the same way, so the pass ends.
    pub(super) permanent: Option<ProviderError>,
    pub(super) is_cut_short: bool,
}

/// Defers a transient failure while another attempt follows; keeps everything else, failures as a state.
pub(super) fn should_store(measured: &MeasuredKeyword, is_last_attempt: bool) -> bool {
    measured.failure.as_ref().is_none_or(|failure| {
        !failure.is_permanent() && (is_last_attempt || !failure.is_retryable())
    })
}

impl Failures {
    pub(super) fn add_stored(&mut self, kept: &MeasuredKeyword) {
        self.is_cut_short |= kept.truncated_by.is_some();
        self.permanent = kept.permanent_failure().cloned().or(self.permanent.take());
        let passing = kept.failure.clone().filter(|it| !it.is_permanent());
        self.last = passing.or(self.last.take());
    }

    pub(super) fn add_deferred(&mut self, left: &MeasuredKeyword) {
        self.add_stored(left);
        self.transient += u64::from(left.permanent_failure().is_none());
    }

    /// `None` if no failure calls for another attempt.
    pub(super) fn end(&self, job: &Job, tools: &WorkerContext, done: u64) -> Option<AttemptEnd> {
        if let Some(lasting) = &self.permanent {
            // Earlier measurements were paid for: they are published, with a warning.
            return (done == 0).then(|| AttemptEnd::Failed(self.permanent_error(lasting, job)));
        }
        if self.transient == 0 {
            return None;
        }
        let last = self.last.as_ref()?;
        tracing::info!(
            jobId = job.id.0,
            left = self.transient,
            done,
            "most" = tools.core.policies.queue.max_attempts,
            "Some keywords are left for another attempt."
        );
        Some(AttemptEnd::Retry {
            error: attempt_error(last),
            requested_delay: retry_delay(last),
        })
    }

    /// Nothing was measured. A budget spent without result must not be reserved again before someone looked into it.
    fn permanent_error(&self, lasting: &ProviderError, job: &Job) -> AttemptError {
        let error = attempt_error(lasting);
        let Some(before) = self.earlier_cause(job) else {
            return error;
        };
        let hint = match lasting {
            ProviderError::JobBudgetReached => Some(
                "Ask the operator to look at what went wrong before (`sightline doctor`, the log): started again, the analysis can cost as much again."
                    .to_owned(),
            ),
            _ => error.hint,
        };
        AttemptError {
            detail: format!("{} What went wrong before: {before}", error.detail),
            hint,
            ..error
        }
    }

    fn earlier_cause(&self, job: &Job) -> Option<String> {
        let earlier = || Some(job.errors.last()?.detail.clone());
        self.last.as_ref().map(sentence).or_else(earlier)
    }

    pub(super) fn nothing_measured(&self, job: &Job) -> AttemptError {
        let cause = { self.earlier_cause(job) }.map_or_else(String::new, |cause| {
            format!(" What went wrong last: {cause}")
        });
        AttemptError {
            code: "nothingMeasured".to_owned(),
            detail: format!("Not one keyword could be measured; earlier results stay published.{cause}"),
            hint: Some("Start the analysis again later; if it fails again, ask the operator to run `sightline doctor`.".to_owned()),
        }
    }
}
