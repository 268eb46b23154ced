//! `sightline compact`.

use super::Ended;
use crate::{
    settings::Loaded,
    terminal::{remark, say},
    wiring::{Role, open_database},
};

/// Makes `SQLite`'s file smaller.
pub async fn run(loaded: Loaded, as_json: bool) -> anyhow::Result<Ended> {
    super::expect_a_database(&loaded.settings)?;
    let database = open_database(&loaded.settings, Role::Server).await?;
    let pending = database.pending().await?;
    anyhow::ensure!(
        pending.is_empty(),
        "the database needs {} migration(s) first: run `sightline migrate`",
        pending.len()
    );
    let place = loaded.settings.database();
    remark(format!("Compacting {place}."));
    let Some(done) = database.compact().await? else {
        anyhow::bail!(
            "PostgreSQL compresses and reuses space while it runs (autovacuum); there is nothing to do"
        );
    };
    if as_json {
        say(serde_json::to_string_pretty(&done)?);
        return Ok(Ended::Done);
    }
    say(format!(
        "{} records were packed; the file has {} bytes, and had {}.",
        done.packed_records, done.bytes_after, done.bytes_before
    ));
    if let Some(needed) = done.needs_bytes {
        say(format!(
            "What is free inside of the file is used before the file grows again. To give it back to the disk, free {needed} bytes there and run this once more."
        ));
    }
    Ok(Ended::Done)
}
