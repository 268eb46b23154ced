use super::Outcome;
use crate::settings::Loaded;
use crate::terminal::{eprint_line, print_line};
use crate::wiring::{AppContext, Role};

pub async fn run(loaded: Loaded, as_json: bool) -> anyhow::Result<Outcome> {
    super::require_database(&loaded.settings)?;
    let context = AppContext::open(loaded, Role::Server).await?;
    let place = context.settings.database();
    eprint_line(format!("Compacting {place}."));
    let Some(done) = context.database.compact().await? else {
        anyhow::bail!(
            "PostgreSQL compresses and reuses space while it runs (autovacuum); there is nothing to do"
        );
    };
    if as_json {
        print_line(serde_json::to_string_pretty(&done)?);
        return Ok(Outcome::Done);
    }
    print_line(format!(
        "{} records were packed; the file has {} bytes, and had {}.",
        done.packed_records, done.bytes_after, done.bytes_before
    ));
    if let Some(needed) = done.needs_bytes {
        print_line(format!(
            "What is free inside of the file is used before the file grows again. To give it back to the disk, free {needed} bytes there and run this command again."
        ));
    }
    Ok(Outcome::Done)
}
