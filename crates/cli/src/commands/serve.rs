use super::{Ended, listen_where_told, look_for_faults, warn_of_spending, work};
use crate::admin::Admin;
use crate::cli::ServeArgs;
use crate::process::{Stopping, drain, logs_objects, once_free, tell, worker_name};
use crate::settings::{ListenAddress, Loaded};
use crate::wiring::{Foundation, Role, warn_of_open_networks};
use crate::{notes, server};
use anyhow::Context;
use providers::{one_of, search::SUPPLIERS};
use std::{io::ErrorKind, net::TcpListener, sync::Arc};
use tokio::sync::Notify;
use web::services::Services;
use worker::{Worker, watch_clock};

pub async fn run(mut loaded: Loaded, args: &ServeArgs) -> anyhow::Result<Ended> {
    listen_where_told(&mut loaded.settings, args.listen.as_deref())?;
    let stopping = Stopping::default();
    let delay = loaded.settings.shutdown_delay_seconds.0;
    stopping.on_signal(delay)?;
    let admin = Admin::begin(&loaded, stopping.work.clone())?;
    let mut foundation = Foundation::open(loaded, Role::Server).await?;
    let listener = listen(&foundation).await?;
    // Port 0 is any free port: callers need the actual one.
    foundation.settings.listen = ListenAddress(listener.local_addr()?);
    tokio::spawn(notes::keep(foundation.core(), stopping.work.clone()));
    let (tools, wake) = (foundation.for_work().tools(), Arc::new(Notify::new()));
    let services = server::services(&foundation, &tools, Arc::clone(&wake), &stopping).await?;
    greet(&foundation, args, &services).await?;
    foundation.take_back_jobs(&tools).await;
    let (working, look) = look_for_faults(&foundation, &stopping);
    if let Some(admin) = &admin {
        admin.started(&foundation);
        tell(format!("  admin      {}", admin.words()));
    }

    if args.no_worker {
        tokio::spawn(watch_clock(
            Arc::clone(&tools.core),
            Arc::clone(&tools.machine),
            stopping.work.clone(),
        ));
    }
    let worker = (!args.no_worker).then(|| {
        let name = worker_name(foundation.randomness.as_ref());
        let worker = Worker::new(name, tools, wake, working.clone());
        tokio::spawn(work(worker, working, look))
    });
    let served = server::serve(listener, services, stopping.listener.clone(), drain(delay)).await;
    stopping.now();
    if let Some(worker) = worker {
        worker.await.context("the worker failed")?;
    }
    served.map(|()| Ended::Done)
}

/// A stopping server holds the address for `shutdown_delay_seconds`: the next one waits for it.
async fn listen(foundation: &Foundation) -> anyhow::Result<TcpListener> {
    let address = foundation.settings.listen.0;
    let is_taken = |error: &std::io::Error| error.kind() == ErrorKind::AddrInUse;
    let bound = once_free(async || server::bind(address), is_taken);
    bound.await.with_context(|| {
        format!("cannot listen on {address}; another program may: choose another with --listen")
    })
}

async fn greet(
    foundation: &Foundation,
    args: &ServeArgs,
    services: &Services,
) -> anyhow::Result<()> {
    let settings = &foundation.settings;
    tell(format!(
        "Sightline {} listens on http://{}",
        env!("CARGO_PKG_VERSION"),
        settings.listen.0
    ));
    tell(format!("  data       {}", settings.database()));
    tell(format!(
        "  API        {}/api/agent/v1 (documentation: /api/agent/v1/docs)",
        settings.public_base_url()
    ));
    if args.no_worker {
        tell("  worker     none here: run `sightline worker` on the same database");
    }
    if settings.search.is_simulated() {
        let sections = one_of(SUPPLIERS.iter().map(|it| it.section));
        tell(format!(
            "  simulated  search results come from the sandbox and say so; for real ones set a supplier ({sections})"
        ));
    }
    warn_of_open_networks(settings);
    if let Some(remedy) = server::nobody_can_sign_in(settings) {
        tracing::warn!("Browsers on other machines cannot sign in over plain http. {remedy}");
    }
    if let Some(told) = server::unnamed_behind_a_proxy(settings) {
        tracing::warn!("{told}. {}", server::NAME_THE_ADDRESS);
    }
    warn_of_spending(foundation).await?;
    let Some(code) = services.core.welcome_code().await? else {
        return Ok(());
    };
    let by_hand = "sightline account create --email you@example.com --name You";
    if logs_objects() {
        // Logs are collected by others: the code grants the first account.
        tell(format!("There is no account yet: {by_hand}"));
    } else {
        // Browsers send fragments neither in requests nor in the Referer.
        tell(format!(
            "  next       open {}/welcome#{} and create the owner's account",
            settings.public_base_url(),
            code.reveal()
        ));
        tell(format!("             or: {by_hand}"));
    }
    Ok(())
}
