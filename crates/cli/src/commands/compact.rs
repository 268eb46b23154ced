use super::Outcome;
use crate::settings::Loaded;
use crate::terminal::{eprint_line, print_line};
use crate::wiring::{AppContext, Process};

pub async fn run(loaded: Loaded, as_json: bool) -> anyhow::Result<Outcome> {
    super::require_database(&loaded.settings)?;
    let context = AppContext::open(loaded, Process::Server).await?;
    let place = context.settings.database();
    eprint_line(format!("Compacting {place}."));
    let Some(done) = context.database.compact().await? else {
        anyhow::bail!(
            "compact is for SQLite only: PostgreSQL reuses free space automatically (autovacuum)"
        );
    };
    if as_json {
        print_line(serde_json::to_string_pretty(&done)?);
        return Ok(Outcome::Done);
    }
    print_line(format!(
        "Compressed {} records; the file has {} bytes, before {}.",
        done.packed_records, done.bytes_after, done.bytes_before
    ));
    if let Some(needed) = done.needs_bytes {
        print_line(format!(
            "Free space inside the file was not returned to the file system and is reused by SQLite. To return it, free {needed} bytes on the disk and run this command again."
        ));
    }
    Ok(Outcome::Done)
}
