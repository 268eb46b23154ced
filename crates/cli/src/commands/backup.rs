use super::{Outcome, require_database};
use crate::cli::{BackupArgs, RestoreArgs};
use crate::settings::Loaded;
use crate::system_clock::SystemClock;
use crate::terminal::{eprint_line, print_line};
use crate::wiring::create_data_folder;
use app::secrets::keys_in_file;
use domain::ports::clock::Clock;
use serde::Serialize;
use storage::{Manifest, RestoreOptions};

pub async fn take(loaded: Loaded, args: BackupArgs) -> anyhow::Result<Outcome> {
    require_database(&loaded.settings)?;
    let database = loaded.settings.database();
    eprint_line(format!(
        "Backing up {database}; servers may continue to run."
    ));
    let (file, now) = (args.file, SystemClock.now());
    let taken = storage::back_up(database, file.clone(), now, args.bindir).await?;
    if let Err(error) = storage::note_backup(loaded.settings.database(), now).await {
        eprint_line(format!(
            "cannot record the time of this backup in the database, so the metric of the last backup is not updated: {:#}",
            anyhow::Error::from(error)
        ));
    }
    let summary = format!("Backed up to {}", file.display());
    print_manifest(&taken, &taken, args.json, &summary)
}

pub async fn restore(loaded: Loaded, args: RestoreArgs) -> anyhow::Result<Outcome> {
    if args.verify {
        eprint_line(format!("Verifying {}.", args.file.display()));
        let found = storage::verify(args.file.clone(), args.bindir).await?;
        let summary = format!("{} is complete", args.file.display());
        return print_manifest(&found, &found, args.json, &summary);
    }
    create_data_folder(&loaded.settings)?;
    let database = loaded.settings.database();
    let place = database.to_string();
    eprint_line(format!("Restoring {} to {place}.", args.file.display()));
    let in_file = keys_in_file(&loaded.settings)?.unwrap_or_default();
    let restored = storage::restore(
        database,
        args.file,
        RestoreOptions {
            force: args.force,
            programs: args.bindir,
            key_ids: { in_file.iter() }.map(ToString::to_string).collect(),
            drop_secrets: args.drop_secrets,
        },
    )
    .await?;
    let summary = format!("Restored to {place}, with the row counts of the manifest");
    print_manifest(&restored, &restored.manifest, args.json, &summary)?;
    if let (Some(replaced), false) = (&restored.replaced, args.json) {
        print_line(format!("The old data is kept: {replaced}."));
    }
    Ok(Outcome::Done)
}

fn print_manifest(
    all: &impl Serialize,
    manifest: &Manifest,
    as_json: bool,
    summary: &str,
) -> anyhow::Result<Outcome> {
    if as_json {
        print_line(serde_json::to_string_pretty(all)?);
        return Ok(Outcome::Done);
    }
    print_line(format!(
        "{summary}: {} rows in {} tables, {} bytes, of {}.",
        manifest.all_rows(),
        manifest.rows.len(),
        manifest.bytes,
        manifest.began_at.format("%Y-%m-%d %H:%M:%S UTC")
    ));
    Ok(Outcome::Done)
}
