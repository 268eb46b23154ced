//! Rejects paid calls once an attempt has to stop; the one under way is awaited, so that its answer can be reused.

use async_trait::async_trait;
use domain::ports::paid_call_ledger::{
    LedgerEntry, PaidCall, PaidCallLedger, PaidCallOutcome, PaidCallStart,
};
use domain::ports::search_results::ProviderError;
use domain::use_cases::job_call_ledger::JobCallLedger;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Grace period for calls under way: a worker must end within 30 s, including requeueing the job.
const STOP_GRACE_PERIOD: Duration = Duration::from_secs(20);

/// Completes after the stop request and the grace period. A call left behind counts as spent, as after a kill.
pub(super) async fn wait_for_stop_grace(stop: CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(STOP_GRACE_PERIOD).await;
}

pub(super) struct StoppableLedger {
    ledger: JobCallLedger,
    stop: CancellationToken,
}

impl StoppableLedger {
    pub(super) const fn new(ledger: JobCallLedger, stop: CancellationToken) -> Self {
        Self { ledger, stop }
    }
}

#[async_trait]
impl PaidCallLedger for StoppableLedger {
    async fn begin(&self, call: &PaidCall) -> Result<PaidCallStart, ProviderError> {
        if self.stop.is_cancelled() {
            return Err(ProviderError::NotRecorded {
                reason: "the attempt stops".to_owned(),
            });
        }
        self.ledger.begin(call).await
    }

    async fn end(&self, ticket: LedgerEntry, ended: PaidCallOutcome) -> Result<(), ProviderError> {
        self.ledger.end(ticket, ended).await
    }
}
