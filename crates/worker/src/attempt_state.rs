use domain::job::kind::AnalysisKind;
use domain::job::progress::Progress;
use domain::ports::site_reader::UnreachableReason;
use domain::ports::storage::StorageError;
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::leases::{LeaseError, WorkerSignal};
use domain::use_cases::publish_results::JobResults;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a yielding audit waits for requests under way: longer than a response may take (`FetchLimits::total`),
/// shorter than a host's longest delay.
const MAX_YIELD_WAIT: Duration = Duration::from_secs(30);

/// Error codes of retried attempts.
pub(super) const INTERNAL_ERROR: &str = "internal-error";
pub(super) const UNREACHABLE: &str = "siteUnreachable";

pub(super) struct AttemptState {
    /// Cancelled on shutdown, a lost lease, or a cancel request.
    pub(super) stop: CancellationToken,
    /// Cancelled when the job is to yield its slot at its next checkpoint.
    yield_request: CancellationToken,
    /// Whether progress was stored since the claim and a checkpoint is still ahead.
    can_yield: AtomicBool,
    lease_lost: AtomicBool,
    canceled: AtomicBool,
    progress: Mutex<Progress>,
}

pub(super) enum AttemptOutcome {
    Results(JobResults),
    End(AttemptEnd),
    Stopped,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum AttemptFailure {
    #[error(transparent)]
    Lease(#[from] LeaseError),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("a task of the attempt ended badly")]
    Task(#[from] tokio::task::JoinError),
}

impl AttemptState {
    pub(super) fn new(stop: CancellationToken, progress: Progress) -> Self {
        Self {
            stop,
            yield_request: CancellationToken::new(),
            can_yield: AtomicBool::new(false),
            lease_lost: AtomicBool::new(false),
            canceled: AtomicBool::new(false),
            progress: Mutex::new(progress),
        }
    }

    /// The next heartbeat stores it.
    pub(super) fn set_progress(&self, progress: Progress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn apply(&self, go_on: WorkerSignal) {
        if go_on == WorkerSignal::CancelRequested {
            self.canceled.store(true, Ordering::SeqCst);
            self.stop.cancel();
        }
    }

    /// Progress was stored: the next attempt continues from there.
    pub(super) fn mark_progress_stored(&self) {
        self.can_yield.store(true, Ordering::SeqCst);
    }

    /// The rest runs without checkpoints.
    pub(super) fn pass_last_checkpoint(&self) {
        self.can_yield.store(false, Ordering::SeqCst);
    }

    pub(super) fn can_yield(&self) -> bool {
        self.can_yield.load(Ordering::SeqCst)
    }

    /// Asks the job to yield its slot: an audit finishes requests under way, others stop as on shutdown.
    pub(super) fn request_yield(&self, kind: AnalysisKind) {
        self.yield_request.cancel();
        if kind != AnalysisKind::SiteAudit {
            self.stop.cancel();
        }
    }

    pub(super) fn is_yield_requested(&self) -> bool {
        self.yield_request.is_cancelled()
    }

    /// Completes when a requested yield takes too long.
    pub(super) async fn yield_overdue(&self) {
        self.yield_request.cancelled().await;
        tokio::time::sleep(MAX_YIELD_WAIT).await;
    }

    pub(super) fn is_canceled(&self) -> bool {
        self.canceled.load(Ordering::SeqCst)
    }

    pub(super) fn is_lease_lost(&self) -> bool {
        self.lease_lost.load(Ordering::SeqCst)
    }

    pub(super) fn mark_lease_lost(&self) {
        self.lease_lost.store(true, Ordering::SeqCst);
        self.stop.cancel();
    }
}

pub(super) fn unreachable(unreached: UnreachableReason) -> AttemptEnd {
    let error = AttemptError {
        code: UNREACHABLE.to_owned(),
        detail: format!("The site cannot be reached over https or http: {unreached}."),
        hint: Some("Check that the domain is right and that the site answers from outside; it is retried automatically.".to_owned()),
    };
    AttemptEnd::Retry {
        error,
        requested_delay: None,
    }
}
