//! `sightline serve`.

use super::{Ended, listen_where_told};
use crate::{
    admin::Admin,
    cli::ServeArgs,
    process::{Stopping, drain, worker_name},
    server,
    settings::{ListenAddress, Loaded},
    terminal::remark,
    wiring::{Foundation, Role},
    worker::Worker,
};
use anyhow::Context;
use std::{net::TcpListener, sync::Arc, time::Duration};
use tokio::sync::Notify;
use web::services::Services;

/// Serves, and unless told otherwise works, until the process is told to stop.
pub async fn run(mut loaded: Loaded, args: &ServeArgs) -> anyhow::Result<Ended> {
    listen_where_told(&mut loaded.settings, args.listen.as_deref())?;
    let stopping = Stopping::default();
    let delay = Duration::from_secs(loaded.settings.shutdown_delay_seconds.into());
    stopping.on_signal(delay)?;
    let admin = Admin::begin(&loaded, stopping.work.clone())?;
    let mut foundation = Foundation::open(loaded, Role::Server).await?;
    let listener = listen(&foundation)?;
    // Port 0 is any free one: callers are told which it became.
    foundation.settings.listen = ListenAddress(listener.local_addr()?);
    let (tools, wake) = (foundation.for_work().tools(), Arc::new(Notify::new()));
    let services = server::services(&foundation, &tools, Arc::clone(&wake), &stopping).await?;
    greet(&foundation, args, &services).await?;
    if let Some(admin) = &admin {
        remark(format!("  admin      {}", admin.words()));
        admin.started(&foundation);
    }

    let worker = (!args.no_worker).then(|| {
        let name = worker_name(foundation.randomness.as_ref());
        tokio::spawn(Worker::new(name, tools, wake, stopping.work.clone()).run())
    });
    let served = server::serve(listener, services, stopping.listener.clone(), drain(delay)).await;
    stopping.now();
    if let Some(worker) = worker {
        worker.await.context("the worker failed")?;
    }
    served.map(|()| Ended::Done)
}

fn listen(foundation: &Foundation) -> anyhow::Result<TcpListener> {
    let address = foundation.settings.listen.0;
    TcpListener::bind(address).with_context(|| {
        format!("cannot listen on {address}; another program may: choose another with --listen")
    })
}

async fn greet(
    foundation: &Foundation,
    args: &ServeArgs,
    services: &Services,
) -> anyhow::Result<()> {
    let settings = &foundation.settings;
    remark(format!(
        "Sightline {} listens on http://{}",
        env!("CARGO_PKG_VERSION"),
        settings.listen.0
    ));
    remark(format!("  data       {}", settings.database()));
    remark(format!(
        "  API        {}/api/agent/v1 (documentation: /api/agent/v1/docs)",
        settings.public_base_url()
    ));
    if args.no_worker {
        remark("  worker     none here: run `sightline worker` on the same database");
    }
    if settings.search.is_simulated() {
        remark(
            "  simulated  search results come from the sandbox and say so; for real ones set a supplier (search.data_for_seo, search.serp_api, search.serper or search.searxng)",
        );
    }
    if let Some(code) = services.welcome_code().await? {
        // Behind the # it stays in the browser: it is in no log and in no Referer.
        remark(format!(
            "  next       open {}/welcome#{} and create the owner's account",
            settings.public_base_url(),
            code.reveal()
        ));
        remark("             or: sightline account create --email you@example.com --name You");
    }
    Ok(())
}
