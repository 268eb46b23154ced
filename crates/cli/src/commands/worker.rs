use super::{Outcome, run_worker, spawn_integrity_check, warn_about_spending};
use crate::admin::Admin;
use crate::process::{Shutdown, announce, worker_name};
use crate::refusal_notes;
use crate::settings::Loaded;
use crate::wiring::{AppContext, Process, warn_about_open_networks};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use worker::Worker;

/// Runs until the process is stopped; running jobs are then requeued.
pub async fn run(loaded: Loaded) -> anyhow::Result<Outcome> {
    let stopping = Shutdown::default();
    stopping.trigger_on_signal(Duration::ZERO)?;
    let admin = Admin::start(&loaded, stopping.work.clone())?;
    let context = AppContext::open(loaded, Process::Server).await?.for_jobs();
    let name = worker_name(context.randomness.as_ref());
    announce(format!(
        "Worker {name} takes jobs from {}.",
        context.settings.database()
    ));
    warn_about_spending(&context).await?;
    if let Some(admin) = &admin {
        admin.mark_started(&context);
        announce(format!("  admin      {}", admin.description()));
    }
    warn_about_open_networks(&context.settings);
    tokio::spawn(refusal_notes::sync_refusals(
        context.core(),
        stopping.work.clone(),
    ));
    let worker_context = context.worker_context_with_mail().await?;
    context.requeue_running_jobs(&worker_context).await;
    let (working, look) = spawn_integrity_check(&context, &stopping);
    let worker = Worker::new(
        name,
        worker_context,
        Arc::new(Notify::new()),
        working.clone(),
    );
    run_worker(worker, working, look).await;
    // With a damaged database, probes and metrics still report it.
    stopping.work.cancelled().await;
    Ok(Outcome::Done)
}
