use super::attempt_state::{INTERNAL_ERROR, UNREACHABLE};
use chrono::{DateTime, Utc};
use domain::job::kind::AnalysisKind;
use domain::job::{Job, JobState};
use domain::ports::search_results::ProviderError;
use std::time::Duration;

/// Registers the counters at 0, so that their first increase is visible.
pub fn register_counters() {
    let rate_limited = ProviderError::RateLimited { retry_after: None };
    let suppliers = [
        ProviderError::Unavailable,
        ProviderError::TimedOut,
        rate_limited,
    ];
    let reasons: Vec<&str> = { suppliers.iter().map(ProviderError::code) }
        .chain([UNREACHABLE, INTERNAL_ERROR])
        .collect();
    for kind in AnalysisKind::IMPLEMENTED.map(AnalysisKind::name) {
        for reason in reasons.iter().copied() {
            metrics::counter!("job_retries_total", "type" => kind, "reason" => reason).absolute(0);
        }
        for end in JobState::ALL.iter().filter(|it| !it.is_unfinished()) {
            metrics::counter!("jobs_finished_total", "type" => kind, "outcome" => end.name())
                .absolute(0);
        }
    }
    for reason in ["worker-lost", "deadline-passed"] {
        metrics::counter!("job_rescues_total", "reason" => reason).absolute(0);
    }
}

pub(super) fn enqueued(kind: AnalysisKind) {
    metrics::counter!("jobs_enqueued_total", "type" => kind.name()).increment(1);
}

/// Waiting time since the job was due.
pub(super) fn record_start(job: &Job, now: DateTime<Utc>) {
    let waited = (now - job.run_at).to_std().unwrap_or_default();
    metrics::histogram!("job_wait_seconds", "type" => job.kind.name()).record(waited);
}

/// `job` is its state afterwards; `None` if the end could not be stored.
pub(super) fn record_end(kind: AnalysisKind, took: Duration, job: Option<&Job>) {
    metrics::histogram!("job_run_seconds", "type" => kind.name()).record(took);
    let Some(job) = job else { return };
    match job.state {
        JobState::RetryWait => {
            let labels = [
                ("type", kind.name().to_owned()),
                ("reason", last_error(job)),
            ];
            metrics::counter!("job_retries_total", &labels).increment(1);
        }
        _ => finished(job),
    }
}

pub(super) fn swept(job: &Job) {
    let reason = match job.state {
        JobState::Canceled | JobState::Expired => None,
        _ => Some(last_error(job)),
    };
    if let Some(reason) = reason {
        metrics::counter!("job_rescues_total", "reason" => reason).increment(1);
    }
    finished(job);
}

fn finished(job: &Job) {
    if job.state.is_unfinished() {
        return;
    }
    metrics::counter!(
        "jobs_finished_total",
        "type" => job.kind.name(),
        "outcome" => job.state.name(),
    )
    .increment(1);
}

/// Unknown codes, which others may have written into the database, must not become labels.
fn last_error(job: &Job) -> String {
    let code = job.errors.last().map_or("none", |it| it.code.as_str());
    let is_plain = code.len() <= 40
        && code
            .bytes()
            .all(|it| it.is_ascii_alphabetic() || it == b'-');
    if is_plain { code } else { "other" }.to_owned()
}
