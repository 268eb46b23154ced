use super::Ended;
use crate::settings::Loaded;
use crate::terminal::{remark, say};
use crate::wiring::{Foundation, Role};

pub async fn run(loaded: Loaded, as_json: bool) -> anyhow::Result<Ended> {
    super::expect_a_database(&loaded.settings)?;
    let foundation = Foundation::open(loaded, Role::Server).await?;
    let place = foundation.settings.database();
    remark(format!("Compacting {place}."));
    let Some(done) = foundation.database.compact().await? else {
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
