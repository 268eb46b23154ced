pub mod account;
pub mod answers;
pub mod audit;
pub mod backup;
pub mod compact;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod health;
pub mod mcp;
pub mod migrate;
pub mod models;
pub mod openapi;
pub mod schedule;
pub mod search_console;
pub mod serve;
pub mod sites;
pub mod suggestions;
pub mod token;
pub mod transfer;
pub mod worker;

use crate::cli::ProjectArgs;
use crate::process::Stopping;
use crate::settings::{ListenAddress, Loaded, Settings};
use crate::spending;
use crate::wiring::{Foundation, Role, is_yet_to_be_made};
use ::worker::Worker;
use domain::email::EmailAddress;
use domain::ids::{AccountId, ProjectId};
use domain::ports::storage::Storage;
use domain::user::User;
use std::{sync::Arc, time::Duration};
use storage::DieselStorage;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Done,
    /// There are findings of the severity given to `--fail-on`.
    Findings,
}

/// A usage error that the parser cannot detect.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongUsage(pub String);

/// Opens an existing database: with a mistyped folder it would create an empty one.
pub async fn foundation(loaded: Loaded) -> anyhow::Result<Foundation> {
    expect_a_database(&loaded.settings)?;
    Box::pin(Foundation::open(loaded, Role::Tool)).await
}

fn expect_a_database(settings: &Settings) -> Result<(), WrongUsage> {
    if !is_yet_to_be_made(settings) {
        return Ok(());
    }
    let place = settings.database();
    Err(WrongUsage(format!(
        "There is no database at {place} yet: the first start or `sightline account create` makes it. If there should be one, check --data-dir or --database-url."
    )))
}

/// How long the first job waits for the integrity check; on a large file the check continues while jobs run.
const MAX_LOOK: Duration = Duration::from_secs(5);

/// Checks the database's integrity. The worker's token is cancelled when the process stops or the database is damaged.
pub fn look_for_faults(
    foundation: &Foundation,
    stopping: &Stopping,
) -> (CancellationToken, JoinHandle<()>) {
    let working = stopping.work.child_token();
    let look = look(foundation.database.clone(), working.clone());
    (working, tokio::spawn(look))
}

pub async fn work(worker: Worker, working: CancellationToken, look: JoinHandle<()>) {
    tokio::select! {
        // The check ended or panicked: jobs run in both cases.
        _ = look => {}
        () = tokio::time::sleep(MAX_LOOK) => {}
        () = working.cancelled() => {}
    }
    worker.run().await;
}

/// Reports damage at once, not when a damaged page is first read. Readable data is still served.
async fn look(database: DieselStorage, working: CancellationToken) {
    tokio::spawn(watch(database.clone(), working.clone()));
    let found = database.faults().await;
    if found.is_ok_and(|it| !it.is_empty()) {
        working.cancel();
    }
}

/// Logs the first fault that this check or any statement finds.
async fn watch(database: DieselStorage, working: CancellationToken) {
    let found = database.until_broken().await;
    working.cancel();
    tracing::error!(
        found,
        "The database is broken, and no job is run: stop, and restore a backup with --force, which keeps the broken file beside it."
    );
}

pub fn listen_where_told(settings: &mut Settings, told: Option<&str>) -> Result<(), WrongUsage> {
    let Some(told) = told else { return Ok(()) };
    let wrong = |_| {
        WrongUsage(format!(
            "--listen takes an address such as 127.0.0.1:8080; it was `{told}`"
        ))
    };
    settings.listen = ListenAddress(told.parse().map_err(wrong)?);
    Ok(())
}

async fn warn_of_spending(foundation: &Foundation) -> anyhow::Result<()> {
    let storage = Arc::clone(&foundation.storage);
    if let Some(told) = spending::without_bound(&foundation.settings, storage).await? {
        tracing::warn!("{told}. {}", spending::REMEDY);
    }
    Ok(())
}

async fn owner(storage: &Arc<dyn Storage>, email: &str) -> anyhow::Result<User> {
    let email =
        EmailAddress::parse(email).map_err(|error| WrongUsage(format!("--email {error}")))?;
    let mut read = storage.read().await?;
    let found = read.accounts().owner_by_email(&email).await?;
    found.ok_or_else(|| {
        WrongUsage(format!(
            "There is no account of {email}. `sightline account list` shows them all."
        ))
        .into()
    })
}

async fn project(
    foundation: &Foundation,
    of: &ProjectArgs,
) -> anyhow::Result<(AccountId, ProjectId)> {
    let owner = owner(&foundation.storage, &of.email).await?;
    let project = ProjectId(of.project);
    let found = foundation.core().project(owner.account, project).await?;
    if found.is_none() {
        return Err(no_project(of).into());
    }
    Ok((owner.account, project))
}

fn no_project(of: &ProjectArgs) -> WrongUsage {
    WrongUsage(format!(
        "{} has no active project {}; the API lists projects under /api/agent/v1/projects.",
        of.email, of.project
    ))
}
