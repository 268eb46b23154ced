//! `sightline worker`.

use super::Ended;
use crate::{process, terminal::remark, wiring::Foundation, worker::Worker};
use std::sync::Arc;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Works until the process is told to stop; jobs at hand are given back to the queue then.
pub async fn run(foundation: &Foundation) -> anyhow::Result<Ended> {
    let stop = CancellationToken::new();
    process::stop_on_signal(stop.clone())?;
    let name = process::worker_name(foundation.randomness.as_ref());
    remark(format!(
        "Worker {name} takes jobs from {}.",
        process::shown_database(&foundation.settings)
    ));
    Worker::new(name, foundation.tools()?, Arc::new(Notify::new()), stop)
        .run()
        .await;
    Ok(Ended::Done)
}
