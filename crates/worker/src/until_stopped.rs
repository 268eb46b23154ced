//! Rejects paid calls once an attempt has to stop; the one under way is awaited, so that its answer can be reused.

use async_trait::async_trait;
use domain::ports::call_journal::{Begun, CallJournal, Ended, PaidCall, Ticket};
use domain::ports::search_results::ProviderError;
use domain::use_cases::write_down_calls::WriteDownCalls;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Grace period for calls under way: a worker must end within 30 s, including requeueing the job.
const LAST_WAIT: Duration = Duration::from_secs(20);

/// Completes after the stop request and the grace period. A call left behind counts as spent, as after a kill.
pub(super) async fn last_wait(stop: CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(LAST_WAIT).await;
}

pub(super) struct UntilStopped {
    journal: WriteDownCalls,
    stop: CancellationToken,
}

impl UntilStopped {
    pub(super) const fn new(journal: WriteDownCalls, stop: CancellationToken) -> Self {
        Self { journal, stop }
    }
}

#[async_trait]
impl CallJournal for UntilStopped {
    async fn begin(&self, call: &PaidCall) -> Result<Begun, ProviderError> {
        if self.stop.is_cancelled() {
            let why = "the attempt stops".to_owned();
            return Err(ProviderError::NotWrittenDown { why });
        }
        self.journal.begin(call).await
    }

    async fn end(&self, ticket: Ticket, ended: Ended) -> Result<(), ProviderError> {
        self.journal.end(ticket, ended).await
    }
}
