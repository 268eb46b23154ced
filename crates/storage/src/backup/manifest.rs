use super::{BackupError, Contents, damaged, unusable};
use crate::files;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// `sqlite` or `postgres`.
    pub database: String,
    pub version: String,
    /// When the backup began; it holds everything committed before.
    pub began_at: DateTime<Utc>,
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Versions of the applied migrations.
    pub steps: Vec<String>,
    /// Those of `steps` that older versions cannot run with.
    pub breaks: Vec<String>,
    /// Rows by table.
    pub rows: BTreeMap<String, u64>,
    /// The keys of the key file that open its secrets, as 16 hexadecimal digits.
    #[serde(default)]
    pub key_ids: Vec<String>,
}

pub(super) fn manifest_path(backup: &Path) -> PathBuf {
    files::with_suffix(backup, ".manifest.json")
}

impl Manifest {
    pub(super) fn of(
        file: &Path,
        database: &str,
        began_at: DateTime<Utc>,
        contents: Contents,
    ) -> io::Result<Self> {
        let (bytes, sha256) = size_and_hash(file)?;
        let Contents {
            rows,
            applied: mut taken,
            key_ids,
        } = contents;
        taken.steps.sort();
        Ok(Self {
            database: database.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            began_at,
            bytes,
            sha256,
            steps: taken.steps,
            breaks: taken.breaks,
            rows,
            key_ids,
        })
    }

    pub fn all_rows(&self) -> u64 {
        self.rows.values().sum()
    }

    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let mut file = files::create_private(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    pub(super) fn read(backup: &Path) -> Result<Self, BackupError> {
        let path = manifest_path(backup);
        let text = fs::read_to_string(&path).map_err(unusable(&path))?;
        serde_json::from_str(&text).map_err(|error| damaged(&path, error.to_string()))
    }

    /// Checks that length and SHA-256 of the file match.
    pub(super) fn verify_file(&self, backup: &Path) -> Result<(), BackupError> {
        let (bytes, sha256) = size_and_hash(backup).map_err(unusable(backup))?;
        if bytes != self.bytes {
            let reason = format!("it has {bytes} bytes, and had {}", self.bytes);
            return Err(damaged(backup, reason));
        }
        if sha256 != self.sha256 {
            return Err(damaged(backup, "its SHA-256 is not that of its manifest"));
        }
        Ok(())
    }

    pub(super) fn verify_rows(
        &self,
        rows: &BTreeMap<String, u64>,
        backup: &Path,
    ) -> Result<(), BackupError> {
        let differs = |(table, count): &(&String, &u64)| rows.get(*table) != Some(*count);
        match self.rows.iter().find(differs) {
            None => Ok(()),
            Some((table, count)) => {
                let found = rows.get(table).copied().unwrap_or_default();
                let reason = format!("`{table}` has {found} rows, and had {count}");
                Err(damaged(backup, reason))
            }
        }
    }
}

/// Length and SHA-256, read in chunks.
fn size_and_hash(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut part = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut part)?;
        if read == 0 {
            break;
        }
        hash.update(&part[..read]);
        bytes += read as u64;
    }
    let digits = hash.finalize();
    let digits = digits.iter().map(|byte| format!("{byte:02x}"));
    Ok((bytes, digits.collect()))
}
