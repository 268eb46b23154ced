//! No further call that costs money once an attempt has to stop: the one under way is waited for, and
//! what was answered is read again by the next attempt.

use async_trait::async_trait;
use domain::{
    ports::{
        call_journal::{Begun, CallJournal, Ended, PaidCall, Ticket},
        search_results::ProviderError,
    },
    use_cases::write_down_calls::WriteDownCalls,
};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long is waited for what is under way once an attempt has to stop: a worker that is told to end has
/// half a minute, in which it has to give the job back too.
const LAST_WAIT: Duration = Duration::from_secs(20);

/// Over once the attempt has to stop and nobody waits any longer for calls that may have been paid. A call that
/// is left behind so was begun and not ended: it stays spent, as after a kill.
pub(super) async fn last_wait(stop: CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(LAST_WAIT).await;
}

/// The journal of an attempt, until it stops.
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
