//! The process itself: signals, its name in the queue, logs.

use crate::settings::{LogFormat, LogSettings, Settings};
use anyhow::Context;
use domain::ports::randomness::Randomness;
use std::{io::IsTerminal, time::Duration};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::{EnvFilter, fmt, prelude::*};

/// How long a process may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(30);

/// Cancels the token at SIGTERM or SIGINT. A second signal, or thirty seconds, end the process at
/// once; leases then run out by themselves.
pub fn stop_on_signal(stop: CancellationToken) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    tokio::spawn(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        tracing::info!("Stopping: what is under way is finished or given back.");
        stop.cancel();
        tokio::select! {
            _ = terminate.recv() => {},
            _ = interrupt.recv() => {},
            () = tokio::time::sleep(GRACE) => {},
        }
        std::process::exit(1);
    });
    Ok(())
}

/// A name that no other worker has.
pub fn worker_name(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; 4];
    randomness.fill(&mut bytes);
    format!(
        "worker-{}-{:08x}",
        std::process::id(),
        u32::from_le_bytes(bytes)
    )
}

/// The database, without what may be secret.
pub fn shown_database(settings: &Settings) -> String {
    let url = settings.database_url();
    match url.split_once("://") {
        Some(("sqlite", path)) => path.to_owned(),
        Some((scheme, rest)) => {
            let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            format!("{scheme}://{}", host.split('?').next().unwrap_or(host))
        }
        None => "the configured database".to_owned(),
    }
}

/// Begins logging, to standard error.
pub fn log(settings: &LogSettings) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&settings.level).with_context(|| {
        format!(
            "the setting log.level takes `info`, `debug`, `warn,web=debug`…; it is `{}`",
            settings.level
        )
    })?;
    let filter = filter.add_directive("actix_server=warn".parse()?);
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match settings.format {
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
        LogFormat::Readable => lines.with_target(false).boxed(),
    };
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .try_init()
        .context("cannot begin logging")
}
