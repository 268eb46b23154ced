//! Database check for readiness: at most once a second, with a timeout.

use domain::ports::storage::Storage;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Load balancers poll often, and all at once during an outage.
const CACHE_TTL: Duration = Duration::from_secs(1);
/// With [`HOLDS`], an outage is reported within two seconds.
const PING_TIMEOUT: Duration = Duration::from_millis(800);

#[derive(Debug, Default)]
pub struct Readiness(Mutex<Option<(Instant, bool)>>);

impl Readiness {
    /// Checks the schema as well. Concurrent callers share one check.
    pub async fn has_database(&self, storage: &dyn Storage) -> bool {
        let mut known = self.0.lock().await;
        if let Some((at, answers)) = *known
            && at.elapsed() < CACHE_TTL
        {
            return answers;
        }
        let started_at = Instant::now();
        let answers = match tokio::time::timeout(PING_TIMEOUT, storage.ping()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(%error, "The server is not ready.");
                false
            }
            Err(_) => {
                tracing::warn!("The server is not ready: the database does not answer in time.");
                false
            }
        };
        // The age of a result counts from the start of its check.
        *known = Some((started_at, answers));
        answers
    }
}
