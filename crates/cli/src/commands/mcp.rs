//! `sightline mcp`: MCP on standard input and output, for a remote server.

use super::{Outcome, UsageError};
use crate::{cli::McpArgs, process, settings::LogSettings};
use anyhow::Context;
use bridge::{Address, Bridge, Limits, Settings, SetupError, Token, Trust};
use std::{fs::File, io, os::fd::AsFd};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Exits the process: a read of standard input cannot be cancelled, and the runtime would wait for it.
pub async fn run(args: &McpArgs, token: Option<&str>) -> anyhow::Result<Outcome> {
    let settings = settings(args, token).map_err(|error| UsageError(error.to_string()))?;
    process::init_logging(&LogSettings::default())?;
    let stop = cancel_on_signal()?;
    let input = unbuffered(&io::stdin()).context("cannot open standard input")?;
    let output = unbuffered(&io::stdout()).context("cannot open standard output")?;
    Box::pin(Bridge::new(settings).run(input, output, stop)).await;
    std::process::exit(0)
}

fn settings(args: &McpArgs, token: Option<&str>) -> Result<Settings, SetupError> {
    let token = match &args.token_file {
        Some(path) => Token::from_file(path)?,
        None => Token::new(token.unwrap_or_default())?,
    };
    let trust = match &args.trust {
        Some(path) => Trust::with_file(path)?,
        None => Trust::default(),
    };
    Ok(Settings {
        address: Address::parse(&args.url)?,
        token,
        trust,
        limits: Limits::default(),
    })
}

/// The file descriptor without the standard library's buffer.
fn unbuffered(stream: &impl AsFd) -> io::Result<tokio::fs::File> {
    let stream = stream.as_fd().try_clone_to_owned()?;
    Ok(tokio::fs::File::from_std(File::from(stream)))
}

/// On a signal nothing has to be finished.
fn cancel_on_signal() -> anyhow::Result<CancellationToken> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {},
            _ = interrupt.recv() => {},
        }
        stopping.cancel();
    });
    Ok(stop)
}
