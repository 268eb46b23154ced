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
use tokio_util::sync::CancellationToken;

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
