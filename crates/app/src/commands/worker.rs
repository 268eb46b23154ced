//! `sightline worker`.

use super::Ended;
use crate::{
    process::{Stopping, worker_name},
    terminal::remark,
    wiring::Foundation,
    worker::Worker,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

/// Works until the process is told to stop; jobs at hand are given back to the queue then.
pub async fn run(foundation: &Foundation) -> anyhow::Result<Ended> {
    let stopping = Stopping::default();
    stopping.on_signal(Duration::ZERO)?;
    let name = worker_name(foundation.randomness.as_ref());
    remark(format!(
        "Worker {name} takes jobs from {}.",
        foundation.settings.database()
    ));
    Worker::new(
        name,
        foundation.tools(),
        Arc::new(Notify::new()),
        stopping.work,
    )
    .run()
    .await;
    Ok(Ended::Done)
}
