//! The key file of sealed secrets, and the keys that servers share.

use crate::settings::Settings;
use crate::wiring::Process;
use domain::ports::randomness::Randomness;
use domain::ports::secret_cipher::{NoKeyFile, SecretCipher};
use domain::ports::storage::{Storage, StorageError};
use domain::sealed_secret::KeyId;
use domain::shared_key::SharedKey;
use domain::use_cases::Core;
use secrets::{FileCipher, KeyFileError};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const FILE_NAME: &str = "secrets.key";
/// Less than [`domain::shared_key::SIGNS_AFTER`], so that every server knows a new key before it signs.
const RELOADED_EACH: Duration = Duration::from_secs(30);

/// The cipher of this process; without a file it seals nothing.
#[derive(Clone, Default)]
pub struct Secrets(Option<Arc<FileCipher>>);

impl Secrets {
    /// Opens the key file. A server on SQLite creates the default one.
    pub async fn open(
        settings: &Settings,
        database: &dyn Storage,
        process: Process,
        randomness: &Arc<dyn Randomness>,
    ) -> anyhow::Result<Self> {
        // Commands that open no secret need no key.
        let needed = match process {
            Process::Server => needed_key_ids(database).await?,
            Process::Tool | Process::Migration => BTreeSet::new(),
        };
        let Some(path) = key_file(settings) else {
            return refuse_missing(&needed, "set secrets.key_file").map(|()| Self(None));
        };
        let is_missing = matches!(path.try_exists(), Ok(false));
        if is_missing && settings.secrets.key_file.is_none() {
            refuse_missing(
                &needed,
                &format!("restore {} from its copy", path.display()),
            )?;
            if process != Process::Server {
                return Ok(Self(None));
            }
            match storage::as_owner_of(&path, || secrets::create(&path, randomness.as_ref()))? {
                Ok(_) => tracing::info!(
                    "Created the key file {}, which opens the secrets in the database. Copy it to a safe place apart from backups: without it they are lost.",
                    path.display()
                ),
                // A server on another database in the same folder was faster.
                Err(KeyFileError::Exists(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let open = || FileCipher::open(path.clone(), Arc::clone(randomness));
        let cipher = storage::as_owner_of(&path, open)??;
        if let Some(id) = first_missing(&needed, &cipher.ids()) {
            anyhow::bail!(
                "the key file {} does not open the secrets of this database, which needs the key {id}: restore the file from its copy",
                path.display()
            );
        }
        Ok(Self(Some(Arc::new(cipher))))
    }

    pub fn cipher(&self) -> Arc<dyn SecretCipher> {
        match &self.0 {
            Some(it) => Arc::clone(it) as _,
            None => Arc::new(NoKeyFile),
        }
    }

    /// The keys of the file, the wrapping one first.
    pub fn ids(&self) -> Vec<KeyId> {
        self.0.as_ref().map_or_else(Vec::new, |it| it.ids())
    }

    fn reload(&self) -> Result<(), KeyFileError> {
        self.0.as_ref().map_or(Ok(()), |it| it.reload())
    }
}

/// The keys of the key file that this database needs.
pub async fn needed_key_ids(storage: &dyn Storage) -> Result<BTreeSet<KeyId>, StorageError> {
    let keys = storage.read().await?.secrets().server_keys().await?;
    Ok(keys.into_iter().map(|it| it.wrapped_by).collect())
}

/// The first needed key that is not in the file.
pub fn first_missing(needed: &BTreeSet<KeyId>, in_file: &[KeyId]) -> Option<KeyId> {
    needed.iter().copied().find(|it| !in_file.contains(it))
}

fn refuse_missing(needed: &BTreeSet<KeyId>, remedy: &str) -> anyhow::Result<()> {
    match needed.first() {
        Some(id) => anyhow::bail!(
            "there is no key file, and the secrets of this database need the key {id}: {remedy}"
        ),
        None => Ok(()),
    }
}

/// The keys of the key file, the wrapping one first; `None` without a file.
pub fn keys_in_file(settings: &Settings) -> anyhow::Result<Option<Vec<KeyId>>> {
    let Some(path) = key_file(settings) else {
        return Ok(None);
    };
    if settings.secrets.key_file.is_none() && matches!(path.try_exists(), Ok(false)) {
        return Ok(None);
    }
    let keys = storage::as_owner_of(&path, || secrets::read(&path))??;
    Ok(Some(keys.ids().collect()))
}

/// The configured file; on SQLite the default is beside the database. `None` on PostgreSQL without the setting: each
/// of several servers would create a key of its own.
pub fn key_file(settings: &Settings) -> Option<PathBuf> {
    let set = settings.secrets.key_file.clone();
    set.or_else(|| Some(settings.database().path()?.with_file_name(FILE_NAME)))
}

/// Takes over keys that another process rotated, until the token is cancelled.
pub async fn follow_rotations(
    core: Arc<Core>,
    secrets: Secrets,
    keys: Vec<SharedKey>,
    stop: CancellationToken,
) {
    let mut logged = String::new();
    let wait = async || tokio::time::sleep(RELOADED_EACH).await;
    while stop.run_until_cancelled(wait()).await.is_some() {
        let outcome = async {
            secrets.reload()?;
            for key in &keys {
                key.replace_by(&core.shared_key(key.purpose()).await?);
            }
            anyhow::Ok(())
        };
        let problem = outcome.await.err().map(|it| format!("{it:#}"));
        let problem = problem.unwrap_or_default();
        if !problem.is_empty() && problem != logged {
            tracing::warn!(
                "Cannot read the keys of cursors and devices again: {problem}. The earlier ones stay in use."
            );
        }
        logged = problem;
    }
}
