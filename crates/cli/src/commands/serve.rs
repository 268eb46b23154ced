use super::{Outcome, override_listen, run_worker, spawn_integrity_check, warn_about_spending};
use crate::admin::Admin;
use crate::cli::ServeArgs;
use crate::process::{
    Shutdown, announce, drain_timeout, logs_json, retry_while_taken, worker_name,
};
use crate::settings::{ListenAddress, Loaded};
use crate::wiring::{AppContext, Process, warn_about_open_networks};
use crate::{refusal_notes, server};
use anyhow::Context;
use providers::{join_with_or, search::SUPPLIERS};
use std::{io::ErrorKind, net::TcpListener, sync::Arc};
use tokio::sync::Notify;
use web::services::Services;
use worker::{Worker, run_clock_checks};

pub async fn run(mut loaded: Loaded, args: &ServeArgs) -> anyhow::Result<Outcome> {
    override_listen(&mut loaded.settings, args.listen.as_deref())?;
    let stopping = Shutdown::default();
    let delay = loaded.settings.shutdown_delay_seconds.0;
    stopping.trigger_on_signal(delay)?;
    let admin = Admin::start(&loaded, stopping.work.clone())?;
    let mut context = AppContext::open(loaded, Process::Server).await?;
    let listener = listen(&context).await?;
    // Port 0 is any free port: callers need the actual one.
    context.settings.listen = ListenAddress(listener.local_addr()?);
    tokio::spawn(refusal_notes::sync_refusals(
        context.core(),
        stopping.work.clone(),
    ));
    let worker_context = context.for_jobs().worker_context_with_mail().await?;
    let wake = Arc::new(Notify::new());
    let services =
        server::build_services(&context, &worker_context, Arc::clone(&wake), &stopping).await?;
    announce_start(&context, args, &services).await?;
    context.requeue_running_jobs(&worker_context).await;
    let (working, look) = spawn_integrity_check(&context, &stopping);
    if let Some(admin) = &admin {
        admin.mark_started(&context);
        announce(format!("  admin      {}", admin.description()));
    }

    if args.no_worker {
        tokio::spawn(run_clock_checks(
            Arc::clone(&worker_context.core),
            Arc::clone(&worker_context.system_clock),
            stopping.work.clone(),
        ));
    }
    let worker = (!args.no_worker).then(|| {
        let name = worker_name(context.randomness.as_ref());
        let worker = Worker::new(name, worker_context, wake, working.clone());
        tokio::spawn(run_worker(worker, working, look))
    });
    let served = server::serve(
        listener,
        services,
        stopping.listener.clone(),
        drain_timeout(delay),
    )
    .await;
    stopping.trigger();
    if let Some(worker) = worker {
        worker.await.context("the worker task failed")?;
    }
    served.map(|()| Outcome::Done)
}

/// A stopping server holds the address for `shutdown_delay_seconds`: the next one waits for it.
async fn listen(context: &AppContext) -> anyhow::Result<TcpListener> {
    let address = context.settings.listen.0;
    let is_taken = |error: &std::io::Error| error.kind() == ErrorKind::AddrInUse;
    let bound = retry_while_taken(async || server::bind(address), is_taken);
    bound.await.with_context(|| {
        format!("cannot listen on {address}: choose another address with --listen")
    })
}

async fn announce_start(
    context: &AppContext,
    args: &ServeArgs,
    services: &Services,
) -> anyhow::Result<()> {
    let settings = &context.settings;
    announce(format!(
        "Sightline {} listens on http://{}",
        env!("CARGO_PKG_VERSION"),
        settings.listen.0
    ));
    announce(format!("  data       {}", settings.database()));
    announce(format!(
        "  API        {}/api/agent/v1 (documentation: /api/agent/v1/docs)",
        settings.public_base_url()
    ));
    if args.no_worker {
        announce("  worker     none in this process: run `sightline worker` on the same database");
    }
    if settings.search.is_simulated() {
        let sections = join_with_or(SUPPLIERS.iter().map(|it| it.section));
        announce(format!(
            "  simulated  search results are simulated and marked as such; for real ones configure a supplier ({sections})"
        ));
    }
    warn_about_open_networks(settings);
    if let Some(remedy) = server::sign_in_remedy(settings) {
        tracing::warn!("Browsers on other machines cannot sign in over plain http. {remedy}");
    }
    if let Some(warning) = server::proxy_without_base_url(settings) {
        tracing::warn!("{warning}. {}", server::SET_BASE_URL);
    }
    warn_about_spending(context).await?;
    let Some(code) = services.core.welcome_code().await? else {
        return Ok(());
    };
    let by_hand = "sightline account create --email you@example.com --name You";
    if logs_json() {
        // Logs are collected by others: the code grants the first account.
        announce(format!("There is no account yet. Create one: {by_hand}"));
    } else {
        // Browsers send fragments neither in requests nor in the Referer.
        announce(format!(
            "  next       open {}/welcome#{} and create the owner's account",
            settings.public_base_url(),
            code.reveal()
        ));
        announce(format!("             or: {by_hand}"));
    }
    Ok(())
}
