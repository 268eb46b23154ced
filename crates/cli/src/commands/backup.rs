use super::{Ended, expect_a_database};
use crate::cli::{BackupArgs, RestoreArgs};
use crate::settings::Loaded;
use crate::system_clock::SystemClock;
use crate::terminal::{remark, say};
use crate::wiring::make_data_folder;
use domain::ports::clock::Clock;
use serde::Serialize;
use storage::Manifest;

pub async fn take(loaded: Loaded, args: BackupArgs) -> anyhow::Result<Ended> {
    expect_a_database(&loaded.settings)?;
    let database = loaded.settings.database();
    remark(format!("Taking a backup of {database}; servers may go on."));
    let (file, now) = (args.file, SystemClock.now());
    let taken = storage::back_up(database, file.clone(), now, args.programs).await?;
    if let Err(error) = storage::note_backup(loaded.settings.database(), now).await {
        remark(format!(
            "The metric of the last backup does not count this one: {:#}",
            anyhow::Error::from(error)
        ));
    }
    let what = format!("{} is whole", file.display());
    tell(&taken, &taken, args.json, &what)
}

pub async fn restore(loaded: Loaded, args: RestoreArgs) -> anyhow::Result<Ended> {
    if args.verify {
        remark(format!("Reading all of {}.", args.file.display()));
        let found = storage::verify(args.file.clone(), args.programs).await?;
        let what = format!("{} is whole", args.file.display());
        return tell(&found, &found, args.json, &what);
    }
    make_data_folder(&loaded.settings)?;
    let database = loaded.settings.database();
    let place = database.to_string();
    remark(format!("Restoring {} to {place}.", args.file.display()));
    let restored = storage::restore(database, args.file, args.force, args.programs).await?;
    let what = format!("{place} is restored, every table with as many rows as it had");
    tell(&restored, &restored.manifest, args.json, &what)?;
    if let (Some(replaced), false) = (&restored.replaced, args.json) {
        say(format!("What was there is kept: {replaced}."));
    }
    Ok(Ended::Done)
}

fn tell(
    all: &impl Serialize,
    manifest: &Manifest,
    as_json: bool,
    what: &str,
) -> anyhow::Result<Ended> {
    if as_json {
        say(serde_json::to_string_pretty(all)?);
        return Ok(Ended::Done);
    }
    say(format!(
        "{what}: {} rows in {} tables, {} bytes, of {}.",
        manifest.all_rows(),
        manifest.rows.len(),
        manifest.bytes,
        manifest.began_at.format("%Y-%m-%d %H:%M:%S UTC")
    ));
    Ok(Ended::Done)
}
