//! `sightline migrate`.

use super::Ended;
use crate::{
    settings::Loaded,
    terminal::say,
    wiring::{Role, open_database},
};

/// Runs it.
pub async fn run(loaded: Loaded, action: &str) -> anyhow::Result<Ended> {
    let role = if action == "run" {
        Role::Migration
    } else {
        Role::Tool
    };
    let database = open_database(&loaded.settings, role).await?;
    let pending = database.pending().await?;
    if action == "status" {
        match pending.len() {
            0 => say("The schema is up to date."),
            count => say(format!(
                "{count} migration(s) to run: {}.",
                pending.join(", ")
            )),
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
