use super::{Ended, WrongUsage};
use crate::settings::Loaded;
use crate::terminal::say;
use crate::wiring::{Role, is_yet_to_be_made, open_database};
use storage::{PlannedAction, PlannedStep};

pub async fn run(loaded: Loaded, action: &str, dry_run: bool) -> anyhow::Result<Ended> {
    if dry_run && action != "run" {
        let wrong = format!("--dry-run belongs to `migrate run`, not to `migrate {action}`");
        return Err(WrongUsage(wrong).into());
    }
    let role = if action == "run" && !dry_run {
        Role::Migration
    } else {
        Role::Tool
    };
    if (action == "status" || dry_run) && is_yet_to_be_made(&loaded.settings) {
        let place = loaded.settings.database();
        say(format!(
            "There is no database at {place} yet: the first start makes it."
        ));
        return Ok(Ended::Done);
    }
    let database = open_database(&loaded.settings, role).await?;
    if let Some(up) = wall(action) {
        database.wall(up).await?;
        say(if up {
            "Row-level security is up. Start servers and workers again: they notice when they open the database."
        } else {
            "Row-level security is down."
        });
        return Ok(Ended::Done);
    }
    if dry_run {
        tell_plan(&database.plan().await?);
        return Ok(Ended::Done);
    }
    let pending = database.pending().await?;
    if action == "status" {
        match pending.len() {
            0 => say("The schema is up to date."),
            count => say(format!(
                "{count} migration(s) to run: {}.",
                pending.join(", ")
            )),
        }
        if database.is_walled().await? {
            say("Row-level security is up.");
        }
        return Ok(Ended::Done);
    }
    let taken = database.migrate().await?;
    match taken.len() {
        0 => say("The schema was up to date."),
        count => say(format!("Ran {count} migration(s): {}.", taken.join(", "))),
    }
    Ok(Ended::Done)
}

fn tell_plan(steps: &[PlannedStep]) {
    if steps.is_empty() {
        say("The schema is up to date: nothing would be done.");
        return;
    }
    for step in steps {
        say(&step.name);
        for action in &step.actions {
            let cost = match &action.table {
                Some(table) if action.rows > 0 => format!(
                    "\n      reads or writes all {} rows of {table}: about {} s, longer on a slow disk",
                    action.rows,
                    action.seconds()
                ),
                _ => String::new(),
            };
            say(format!("  {}{cost}", action.statement));
        }
    }
    let seconds: u64 = { steps.iter().flat_map(|it| &it.actions) }
        .map(PlannedAction::seconds)
        .sum();
    say(format!(
        "{} migration(s) would run, each in a transaction of its own; together about {seconds} s where tables are read or written. Nothing was changed.",
        steps.len()
    ));
}

/// Whether the action enables or disables row-level security.
fn wall(action: &str) -> Option<bool> {
    match action {
        "wall-up" => Some(true),
        "wall-down" => Some(false),
        _ => None,
    }
}
