//! Sightline: how visible are your websites?

mod cli;
mod commands;
mod deprecations;
mod refusal_notes;
mod spending;
mod terminal;

use app::{admin, process, server, settings, system_clock, wiring};
use clap::{CommandFactory, FromArgMatches};
use cli::{AccountCommand, Cli, Command};
use commands::{Outcome, UsageError};
use settings::{Loaded, LogLevel, LogSettings, SettingsError};
use std::process::ExitCode;
use wiring::{AppContext, Process};

/// Audits allocate many small objects on many threads; the system's allocator takes a seventh of their time.
#[cfg(feature = "dist")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let definition = Cli::command();
    let (arguments, notices) = deprecations::rewrite(&definition, std::env::args_os().collect());
    for notice in notices {
        terminal::eprint_line(notice);
    }
    let matches = definition.get_matches_from(arguments);
    let outcome = run_cli(
        Cli::from_arg_matches(&matches)
            .unwrap_or_else(|error| error.format(&mut Cli::command()).exit()),
    );
    storage::remove_tls_folders();
    match outcome.and_then(|ended| terminal::check_output().map(|()| ended)) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(3),
        Err(error) => {
            if process::logs_json() && tracing::enabled!(tracing::Level::ERROR) {
                tracing::error!(error = format!("{error:#}"), "Sightline ends.");
            } else {
                terminal::eprint_line(format!("sightline: {error:#}"));
            }
            if let Some(user_switch) = storage::user_switch_message() {
                terminal::eprint_line(user_switch);
            }
            let is_usage = error.is::<UsageError>() || error.is::<SettingsError>();
            ExitCode::from(if is_usage { 2 } else { 1 })
        }
    }
}

fn run_cli(cli: Cli) -> anyhow::Result<Outcome> {
    // `mcp` is not a server: a mistake in settings must not stop it.
    if let Some(Command::Mcp(args)) = &cli.command {
        let token = read_variable("SIGHTLINE_TOKEN");
        return build_runtime()?.block_on(commands::mcp::run(args, token.as_deref()));
    }
    let loaded = load_settings(&cli);
    if let Some(Command::Config(command)) = &cli.command {
        return commands::config::run(command, loaded);
    }
    let loaded = loaded?;
    let command = cli
        .command
        .unwrap_or(Command::Serve(cli::ServeArgs::default()));
    if let Command::Transfer(args) = &command {
        let ends = commands::transfer::resolve_endpoints(&loaded.settings, args)?;
        // A process acts as one user: files of two users need a backup and a restore.
        for file in [&ends.from, &ends.to]
            .into_iter()
            .filter_map(|it| it.path())
        {
            storage::become_owner_of(file)?;
        }
        return build_runtime()?.block_on(commands::transfer::run(&loaded.settings, ends, args));
    }
    if command.opens_database()
        && let Some(file) = loaded.settings.database().path()
    {
        // Only root may read the settings. From here on the process is the owner of the database.
        storage::become_owner_of(file)?;
    }
    build_runtime()?.block_on(run(command, loaded))
}

fn build_runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

async fn run(command: Command, loaded: Loaded) -> anyhow::Result<Outcome> {
    match command {
        Command::Serve(args) => {
            process::init_logging(&loaded.settings.log)?;
            Box::pin(commands::serve::run(loaded, &args)).await
        }
        Command::Worker => {
            process::init_logging(&loaded.settings.log)?;
            Box::pin(commands::worker::run(loaded)).await
        }
        Command::Demo(args) => {
            process::init_logging(&warn_log_settings(&loaded))?;
            Box::pin(commands::demo::run(loaded, &args)).await
        }
        Command::Audit(args) => commands::audit::run(loaded, &args).await,
        Command::Account(command) => {
            let context = match command {
                AccountCommand::Create { .. } => AppContext::open(loaded, Process::Tool).await?,
                _ => commands::open_context(loaded).await?,
            };
            commands::account::run(&context, command).await
        }
        Command::Token(command) => {
            commands::token::run(&commands::open_context(loaded).await?, command).await
        }
        Command::Schedule(command) => {
            commands::schedule::run(&commands::open_context(loaded).await?, command).await
        }
        Command::Competitors(command) => {
            let context = commands::open_context(loaded).await?;
            commands::domains::run_competitors(&context, command).await
        }
        Command::Domains(command) => {
            commands::domains::run(&commands::open_context(loaded).await?, command).await
        }
        Command::Brands(command) => {
            commands::brands::run(&commands::open_context(loaded).await?, command).await
        }
        Command::Suggestions(command) => {
            commands::suggestions::run(&commands::open_context(loaded).await?, command).await
        }
        Command::Models(command) => {
            commands::models::run(&commands::open_context(loaded).await?, command).await
        }
        Command::Answers(command) => {
            commands::answers::run(&commands::open_context(loaded).await?, command).await
        }
        Command::SearchConsole(command) => {
            let context = commands::open_context(loaded).await?;
            commands::search_console::run(&context, command).await
        }
        Command::Backup(args) => commands::backup::take(loaded, args).await,
        Command::Restore(args) => commands::backup::restore(loaded, args).await,
        Command::Migrate { action, dry_run } => {
            commands::migrate::run(loaded, &action, dry_run).await
        }
        Command::Mail(command) => Box::pin(commands::mail::run(loaded, command)).await,
        Command::Secrets(command) => Box::pin(commands::secrets::run(loaded, command)).await,
        Command::Doctor { json, all } => Box::pin(commands::doctor::run(loaded, json, all)).await,
        Command::Compact { json } => Box::pin(commands::compact::run(loaded, json)).await,
        Command::Health { live } => {
            let path = if live { "/livez" } else { "/readyz" };
            commands::health::run(&loaded.settings, path).await
        }
        Command::Openapi => commands::openapi::run(&loaded),
        Command::Mcp(_) | Command::Config(_) | Command::Transfer(_) => {
            unreachable!("they have run before")
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a secret that the parser of the command line must not see, since it would show it"
)]
fn read_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment of a server"
)]
fn load_settings(cli: &Cli) -> Result<Loaded, SettingsError> {
    cli.common.sources(std::env::vars().collect()).load()
}

fn warn_log_settings(loaded: &Loaded) -> LogSettings {
    LogSettings {
        level: LogLevel::warn(),
        ..loaded.settings.log.clone()
    }
}
