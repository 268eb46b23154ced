//! `sightline secrets`: the key that opens the secrets in the database.

use super::{Outcome, UsageError, open_context};
use crate::cli::SecretsCommand;
use crate::settings::Loaded;
use crate::terminal::{print_line, print_table};
use crate::wiring::{AppContext, system_ports};
use anyhow::Context;
use app::secrets::{key_file, needed_key_ids};
use serde_json::json;
use std::path::{Path, PathBuf};

const COPY: &str = "Keep a copy apart from backups: without the key the stored secrets are lost.";

pub async fn run(loaded: Loaded, command: SecretsCommand) -> anyhow::Result<Outcome> {
    match command {
        SecretsCommand::Init { out } => init(&out)?,
        SecretsCommand::Status { json } => status(&open_context(loaded).await?, json).await?,
        SecretsCommand::Rotate { prepare, finish } => {
            let context = open_context(loaded).await?;
            let path = existing_key_file(&context)?;
            if prepare {
                add_key(&context, &path)?;
            } else if finish {
                remove_old_keys(&context, &path).await?;
            } else {
                rotate(&context).await?;
            }
        }
    }
    Ok(Outcome::Done)
}

fn init(path: &Path) -> anyhow::Result<()> {
    let (_, randomness) = system_ports();
    let create = || secrets::create(path, randomness.as_ref());
    let ring = storage::as_owner_of(path, create)??;
    print_line(format!(
        "Created {} with the key {}. Set secrets.key_file to it for every server and worker. {COPY}",
        path.display(),
        ring.wrapping().0
    ));
    Ok(())
}

async fn status(context: &AppContext, as_json: bool) -> anyhow::Result<()> {
    let path = key_file(&context.settings);
    let ids = context.secrets.ids();
    let needed = needed_key_ids(context.storage.as_ref()).await?;
    let all = ids
        .iter()
        .chain(needed.iter().filter(|it| !ids.contains(it)));
    let rows = all.map(|id| {
        let is_first = ids.first() == Some(id);
        (
            id.to_string(),
            ids.contains(id),
            is_first,
            needed.contains(id),
        )
    });
    if as_json {
        let keys: Vec<_> = rows
            .map(|(id, in_file, wraps, needed)| {
                json!({ "id": id, "inFile": in_file, "wraps": wraps, "needed": needed })
            })
            .collect();
        let document = json!({ "keyFile": path, "keys": keys });
        print_line(serde_json::to_string_pretty(&document)?);
        return Ok(());
    }
    print_line(match path {
        Some(path) => format!("Key file: {}.", path.display()),
        None => "No key file: create one with `sightline secrets init`, and set secrets.key_file."
            .to_owned(),
    });
    let word = |it: bool| if it { "yes" } else { "no" }.to_owned();
    print_table(
        &[
            "key",
            "in the file",
            "wraps new secrets",
            "needed by the database",
        ],
        rows.map(|(id, in_file, wraps, needed)| [id, word(in_file), word(wraps), word(needed)]),
    );
    Ok(())
}

fn existing_key_file(context: &AppContext) -> anyhow::Result<PathBuf> {
    let path = key_file(&context.settings).filter(|_| !context.secrets.ids().is_empty());
    let missing = || {
        UsageError(
            "there is no key file: on SQLite the first server creates it; on PostgreSQL run `sightline secrets init --out FILE`, and set secrets.key_file"
                .to_owned(),
        )
    };
    Ok(path.ok_or_else(missing)?)
}

fn add_key(context: &AppContext, path: &Path) -> anyhow::Result<()> {
    let prepend = || secrets::prepend(path, context.randomness.as_ref());
    let ring = storage::as_owner_of(path, prepend)??;
    print_line(format!(
        "Added the key {} to {}. Copy the file to all machines; servers read it within 30 s. Then run `sightline secrets rotate`. {COPY}",
        ring.wrapping().0,
        path.display()
    ));
    Ok(())
}

async fn rotate(context: &AppContext) -> anyhow::Result<()> {
    let done = context.core().rotate_secrets().await;
    let done = done.context("the rotation is not complete; the command may be repeated")?;
    print_line(format!(
        "Wrapped {} data key(s) by the key {}; replaced the keys of cursors and device cookies ({} were not sealed before).",
        done.rewrapped,
        context.core().cipher.wrapping_key()?,
        done.sealed
    ));
    if context.secrets.ids().len() > 1 {
        print_line("Next: `sightline secrets rotate --finish` removes the old key from the file.");
    }
    Ok(())
}

async fn remove_old_keys(context: &AppContext, path: &Path) -> anyhow::Result<()> {
    let ids = context.secrets.ids();
    let needed = needed_key_ids(context.storage.as_ref()).await?;
    if let Some(id) = ids.iter().skip(1).find(|it| needed.contains(it)) {
        anyhow::bail!(
            "the database still needs the key {id}: run `sightline secrets rotate` first"
        );
    }
    storage::as_owner_of(path, || secrets::keep_first(path))??;
    let removed: Vec<String> = ids.iter().skip(1).map(ToString::to_string).collect();
    print_line(match removed.len() {
        0 => "The key file holds one key: there is nothing to remove.".to_owned(),
        _ => format!(
            "Removed from {}: {}. Backups from before this rotation need them: keep the copy of the old file as long as those.",
            path.display(),
            removed.join(", ")
        ),
    });
    Ok(())
}
