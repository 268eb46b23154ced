use super::{Ended, look_for_faults, warn_of_spending, work};
use crate::admin::Admin;
use crate::notes;
use crate::process::{Stopping, tell, worker_name};
use crate::settings::Loaded;
use crate::wiring::{Foundation, Role, warn_of_open_networks};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use worker::Worker;

/// Runs until the process is stopped; running jobs are then requeued.
pub async fn run(loaded: Loaded) -> anyhow::Result<Ended> {
    let stopping = Stopping::default();
    stopping.on_signal(Duration::ZERO)?;
    let admin = Admin::begin(&loaded, stopping.work.clone())?;
    let foundation = Foundation::open(loaded, Role::Server).await?.for_work();
    let name = worker_name(foundation.randomness.as_ref());
    tell(format!(
        "Worker {name} takes jobs from {}.",
        foundation.settings.database()
    ));
    warn_of_spending(&foundation).await?;
    if let Some(admin) = &admin {
        admin.started(&foundation);
        tell(format!("  admin      {}", admin.words()));
    }
    warn_of_open_networks(&foundation.settings);
    tokio::spawn(notes::keep(foundation.core(), stopping.work.clone()));
    let tools = foundation.tools();
    foundation.take_back_jobs(&tools).await;
    let (working, look) = look_for_faults(&foundation, &stopping);
    let worker = Worker::new(name, tools, Arc::new(Notify::new()), working.clone());
    work(worker, working, look).await;
    // With a damaged database, probes and metrics still report it.
    stopping.work.cancelled().await;
    Ok(Ended::Done)
}
