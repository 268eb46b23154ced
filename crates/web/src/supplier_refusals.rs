//! Sources of data that refuse the operator's account, without their suppliers' names, from server notes cached for five seconds.

use domain::ports::server_notes::{ServerNote, Topic};
use domain::ports::storage::{Storage, StorageError};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

const CACHE_TTL: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct SupplierRefusalCache(Mutex<Option<(Instant, Vec<ServerNote>)>>);

impl SupplierRefusalCache {
    /// Operation and message of each refusal.
    pub async fn refusals(
        &self,
        storage: &dyn Storage,
    ) -> Result<Vec<(String, String)>, StorageError> {
        let mut known = self.0.lock().await;
        let cached = known.take().filter(|(at, _)| at.elapsed() < CACHE_TTL);
        let cached = if let Some(cached) = cached {
            cached
        } else {
            let notes = storage.read().await?.server_notes().all().await?;
            (Instant::now(), notes)
        };
        let refusals = { cached.1.iter() }.filter_map(describe_refusal).collect();
        *known = Some(cached);
        Ok(refusals)
    }
}

fn describe_refusal(note: &ServerNote) -> Option<(String, String)> {
    let Topic::Refusal { operation, .. } = &note.topic else {
        return None;
    };
    let at = note.noted_at.format("%Y-%m-%d %H:%M UTC");
    let text = format!(
        "The source refuses this server's account ({}, {at}): the operator finds it with `sightline doctor`.",
        note.note
    );
    Some((operation.clone(), text))
}
