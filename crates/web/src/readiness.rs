//! Whether the database answers, for readiness: asked once a second at the most, and not waited for longer than that.

use domain::ports::storage::Storage;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Balancers ask often, and all at once when something is wrong.
const HOLDS: Duration = Duration::from_secs(1);
/// How long the database may take. With [`HOLDS`], a lost one is told within two seconds.
const PATIENCE: Duration = Duration::from_millis(800);

#[derive(Debug, Default)]
pub struct Readiness(Mutex<Option<(Instant, bool)>>);

impl Readiness {
    /// With the right schema. Whoever asks meanwhile waits for the same answer.
    pub async fn has_database(&self, storage: &dyn Storage) -> bool {
        let mut known = self.0.lock().await;
        if let Some((at, answers)) = *known
            && at.elapsed() < HOLDS
        {
            return answers;
        }
        let asked = Instant::now();
        let answers = match tokio::time::timeout(PATIENCE, storage.ping()).await {
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
        // From when it was asked: an answer that took long is as old as its question.
        *known = Some((asked, answers));
        answers
    }
}
