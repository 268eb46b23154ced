//! `sightline migrate`.

use super::Ended;
use crate::{
    settings::Loaded,
    terminal::say,
    wiring::{Role, is_yet_to_be_made, open_database},
};

/// Runs it.
pub async fn run(loaded: Loaded, action: &str) -> anyhow::Result<Ended> {
    let role = if action == "run" {
        Role::Migration
    } else {
        Role::Tool
    };
    if action == "status" && is_yet_to_be_made(&loaded.settings) {
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

/// Whether the action raises the wall or takes it down.
fn wall(action: &str) -> Option<bool> {
    match action {
        "wall-up" => Some(true),
        "wall-down" => Some(false),
        _ => None,
    }
}
