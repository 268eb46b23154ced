use super::{Outcome, UsageError};
use crate::settings::Loaded;
use crate::terminal::print_line;
use crate::wiring::{Process, is_database_missing, open_database};
use storage::{DatabaseKind, PlannedAction, PlannedStep};

pub async fn run(loaded: Loaded, action: &str, dry_run: bool) -> anyhow::Result<Outcome> {
    if dry_run && action != "run" {
        let wrong =
            format!("--dry-run can be used with `migrate run` only, not with `migrate {action}`");
        return Err(UsageError(wrong).into());
    }
    let process = if action == "run" && !dry_run {
        Process::Migration
    } else {
        Process::Tool
    };
    if (action == "status" || dry_run) && is_database_missing(&loaded.settings) {
        let place = loaded.settings.database();
        print_line(format!(
            "There is no database at {place} yet: the first start creates it."
        ));
        return Ok(Outcome::Done);
    }
    let database = open_database(&loaded.settings, process).await?;
    if let Some(enabled) = rls_change(action) {
        database.set_rls(enabled).await?;
        print_line(if enabled {
            "Row-level security is enabled. Restart all servers and workers. Back up with a role that has BYPASSRLS (docs/operate/postgresql.md)."
        } else {
            rls_line(false)
        });
        return Ok(Outcome::Done);
    }
    if dry_run {
        print_plan(&database.plan().await?);
        return Ok(Outcome::Done);
    }
    let pending = database.pending().await?;
    if action == "status" {
        match pending.len() {
            0 => print_line("The schema is up to date."),
            count => print_line(format!(
                "{count} migration(s) pending: {}.",
                pending.join(", ")
            )),
        }
        if database.kind() == DatabaseKind::Postgres {
            print_line(rls_line(database.is_rls_enabled().await?));
        }
        return Ok(Outcome::Done);
    }
    let taken = database.migrate().await?;
    match taken.len() {
        0 => print_line("The schema is already up to date."),
        count => print_line(format!("Ran {count} migration(s): {}.", taken.join(", "))),
    }
    Ok(Outcome::Done)
}

fn print_plan(steps: &[PlannedStep]) {
    if steps.is_empty() {
        print_line("The schema is up to date: no migrations would run.");
        return;
    }
    for step in steps {
        print_line(&step.name);
        for action in &step.actions {
            let cost = match &action.table {
                Some(table) if action.rows > 0 => format!(
                    "\n      reads or writes all {} rows of {table}: about {} s, more on a slow disk",
                    action.rows,
                    action.seconds()
                ),
                _ => String::new(),
            };
            print_line(format!("  {}{cost}", action.statement));
        }
    }
    let seconds: u64 = { steps.iter().flat_map(|it| &it.actions) }
        .map(PlannedAction::seconds)
        .sum();
    print_line(format!(
        "{} migration(s) would run, each in a separate transaction, in about {seconds} s in total. No changes were made.",
        steps.len()
    ));
}

const fn rls_line(enabled: bool) -> &'static str {
    if enabled {
        "Row-level security is enabled."
    } else {
        "Row-level security is disabled."
    }
}

/// Whether the action enables or disables row-level security.
fn rls_change(action: &str) -> Option<bool> {
    match action {
        "enable-rls" => Some(true),
        "disable-rls" => Some(false),
        _ => None,
    }
}
