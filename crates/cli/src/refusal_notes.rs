use chrono::{DateTime, Utc};
use domain::ports::server_notes::{ServerNote, Topic};
use domain::ports::storage::{Storage, StorageError};
use domain::use_cases::Core;
use providers::resilience::{CallTarget, refusals};
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;
use worker::error_chain;

const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Until `stop`: records suppliers' refusals of the operator's account, and removes a note after a successful call.
pub async fn sync_refusals(core: Arc<Core>, stop: CancellationToken) {
    let mut noted = BTreeMap::new();
    loop {
        let found = refusals();
        for (target, refusal) in &found {
            if noted.get(target) == Some(refusal) {
                continue;
            }
            let now = core.clock.now();
            match save_refusal(core.storage.as_ref(), *target, *refusal, now).await {
                Ok(()) => _ = noted.insert(*target, *refusal),
                Err(error) => tracing::warn!(
                    error = error_chain(&error),
                    "Cannot store the refusal of a supplier; retrying."
                ),
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(CHECK_INTERVAL) => {}
        }
    }
}

async fn save_refusal(
    storage: &dyn Storage,
    target: CallTarget,
    refusal: Option<&str>,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let topic = Topic::Refusal {
        provider: target.provider.to_owned(),
        operation: target.operation.to_owned(),
    };
    let Some(code) = refusal else {
        // Most suppliers were never refused: avoid a transaction for them.
        let notes = storage.read().await?.server_notes().all().await?;
        if !notes.iter().any(|it| it.topic == topic) {
            return Ok(());
        }
        let mut work = storage.write().await?;
        work.server_notes().remove(&topic).await?;
        return work.commit().await;
    };
    let note = ServerNote {
        topic,
        note: code.to_owned(),
        noted_at: now,
    };
    let mut work = storage.write().await?;
    work.server_notes().put(&note).await?;
    work.commit().await
}
