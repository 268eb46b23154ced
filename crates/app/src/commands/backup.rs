//! `sightline backup` and `sightline restore`.

use super::Ended;
use crate::{
    cli::{BackupArgs, RestoreArgs},
    settings::Loaded,
    system_clock::SystemClock,
    terminal::{remark, say},
    wiring::make_data_folder,
};
use domain::ports::clock::Clock;
use storage::Manifest;

/// Takes a backup.
pub async fn take(loaded: Loaded, args: BackupArgs) -> anyhow::Result<Ended> {
    let database = loaded.settings.database();
    remark(format!("Taking a backup of {database}; servers may go on."));
    let (file, now) = (args.file, SystemClock.now());
    let taken = storage::back_up(database, file.clone(), now, args.programs).await?;
    tell(&taken, args.json, &format!("{} is whole", file.display()))
}

/// Restores one, or looks whether it is whole.
pub async fn restore(loaded: Loaded, args: RestoreArgs) -> anyhow::Result<Ended> {
    if args.verify {
        remark(format!("Reading all of {}.", args.file.display()));
        let found = storage::verify(args.file.clone(), args.programs).await?;
        return tell(
            &found,
            args.json,
            &format!("{} is whole", args.file.display()),
        );
    }
    make_data_folder(&loaded.settings)?;
    let database = loaded.settings.database();
    let place = database.to_string();
    remark(format!("Restoring {} to {place}.", args.file.display()));
    let restored = storage::restore(database, args.file, args.force, args.programs).await?;
    tell(
        &restored,
        args.json,
        &format!("{place} is restored, every table with as many rows as it had"),
    )
}

fn tell(manifest: &Manifest, as_json: bool, what: &str) -> anyhow::Result<Ended> {
    if as_json {
        say(serde_json::to_string_pretty(manifest)?);
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
