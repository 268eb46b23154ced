pub mod account;
pub mod answers;
pub mod audit;
pub mod backup;
pub mod brands;
pub mod compact;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod domains;
pub mod health;
pub mod mail;
pub mod mcp;
pub mod migrate;
pub mod models;
pub mod openapi;
pub mod schedule;
pub mod search_console;
pub mod secrets;
pub mod serve;
pub mod suggestions;
pub mod token;
pub mod transfer;
pub mod worker;

use crate::cli::ProjectArgs;
use crate::process::Shutdown;
use crate::settings::{ListenAddress, Loaded, Settings};
use crate::spending;
use crate::wiring::{AppContext, Process, is_database_missing};
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
pub enum Outcome {
    Done,
    /// There are findings of the severity given to `--fail-on`.
    Findings,
}

/// A usage error that the parser cannot detect.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Opens an existing database: with a mistyped folder it would create an empty one.
pub async fn open_context(loaded: Loaded) -> anyhow::Result<AppContext> {
    require_database(&loaded.settings)?;
    Box::pin(AppContext::open(loaded, Process::Tool)).await
}

fn require_database(settings: &Settings) -> Result<(), UsageError> {
    if !is_database_missing(settings) {
        return Ok(());
    }
    let place = settings.database();
    Err(UsageError(format!(
        "There is no database at {place} yet: start the server or run `sightline account create` to create it. If it should exist, check --data-dir or --database-url."
    )))
}

/// How long the first job waits for the integrity check; on a large file the check continues while jobs run.
const MAX_INTEGRITY_WAIT: Duration = Duration::from_secs(5);

/// Checks the database's integrity. The worker's token is cancelled when the process stops or the database is damaged.
pub fn spawn_integrity_check(
    context: &AppContext,
    stopping: &Shutdown,
) -> (CancellationToken, JoinHandle<()>) {
    let working = stopping.work.child_token();
    let check = check_integrity(context.database.clone(), working.clone());
    (working, tokio::spawn(check))
}

pub async fn run_worker(worker: Worker, working: CancellationToken, check: JoinHandle<()>) {
    tokio::select! {
        // The check ended or panicked: jobs run in both cases.
        _ = check => {}
        () = tokio::time::sleep(MAX_INTEGRITY_WAIT) => {}
        () = working.cancelled() => {}
    }
    worker.run().await;
}

/// Reports damage at once, not when a damaged page is first read. Readable data is still served.
async fn check_integrity(database: DieselStorage, working: CancellationToken) {
    tokio::spawn(watch_for_corruption(database.clone(), working.clone()));
    let found = database.faults().await;
    if found.is_ok_and(|it| !it.is_empty()) {
        working.cancel();
    }
}

/// Logs the first fault that this check or any statement finds.
async fn watch_for_corruption(database: DieselStorage, working: CancellationToken) {
    let found = database.until_broken().await;
    working.cancel();
    tracing::error!(
        found,
        "The database is damaged, and no jobs run. Stop the server and restore a backup with `sightline restore --force`, which keeps the damaged file."
    );
}

pub fn override_listen(settings: &mut Settings, address: Option<&str>) -> Result<(), UsageError> {
    let Some(address) = address else {
        return Ok(());
    };
    let wrong = |_| {
        UsageError(format!(
            "--listen takes an address such as 127.0.0.1:8080; it was `{address}`"
        ))
    };
    settings.listen = ListenAddress(address.parse().map_err(wrong)?);
    Ok(())
}

async fn warn_about_spending(context: &AppContext) -> anyhow::Result<()> {
    let storage = Arc::clone(&context.storage);
    if let Some(warning) = spending::unbounded_spenders(&context.settings, storage).await? {
        tracing::warn!("{warning}. {}", spending::REMEDY);
    }
    Ok(())
}

/// A person, as member of the home account.
async fn find_person(storage: &Arc<dyn Storage>, email: &str) -> anyhow::Result<User> {
    let email =
        EmailAddress::parse(email).map_err(|error| UsageError(format!("--email {error}")))?;
    let mut read = storage.read().await?;
    let found = read.members().find_by_email(&email).await?;
    found.ok_or_else(|| {
        UsageError(format!(
            "there is no account of {email}: `sightline account list` lists the accounts"
        ))
        .into()
    })
}

/// An owner: of the home account, else of the first other account that the person owns.
async fn find_owner(storage: &Arc<dyn Storage>, email: &str) -> anyhow::Result<User> {
    let person = find_person(storage, email).await?;
    if person.is_present_owner() {
        return Ok(person);
    }
    // A person who does not own the home account may own another.
    let mut read = storage.read().await?;
    for account in read
        .members()
        .joined_accounts(person.account, person.id)
        .await?
    {
        let member = read.members().find(account, person.id).await?;
        if let Some(owner) = member.filter(User::is_present_owner) {
            return Ok(owner);
        }
    }
    let (email, role) = (&person.email, person.role);
    Err(UsageError(format!(
        "{email} has the role {role} in account {} and does not own it: `sightline account list` lists the owners",
        person.account
    ))
    .into())
}

async fn find_project(
    context: &AppContext,
    project_args: &ProjectArgs,
) -> anyhow::Result<(AccountId, ProjectId)> {
    let owner = find_owner(&context.storage, &project_args.email).await?;
    let project = ProjectId(project_args.project);
    let found = context.core().project(owner.account, project).await?;
    if found.is_none() {
        return Err(no_such_project(project_args).into());
    }
    Ok((owner.account, project))
}

fn no_such_project(of: &ProjectArgs) -> UsageError {
    UsageError(format!(
        "{} has no active project {}: the API lists projects under /api/agent/v1/projects",
        of.email, of.project
    ))
}
