//! A backup file that is being written: one per name, removed unless its writer finishes.

use super::{BackupError, unusable};
use crate::files::{FileIdentity, create_private, folder_of, try_lock_file, with_suffix};
use crate::ownership::as_owner_of;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Suffixes of the files that `SQLite` may put beside a database.
pub const SQLITE_SUFFIXES: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Removed when dropped, unless [`Part::rename_into_place`] was called.
pub struct PartialFile {
    path: PathBuf,
    final_path: PathBuf,
    /// Locked while the part is written. A separate file, since SQLite locks the part itself.
    lock_path: PathBuf,
    was_abandoned: bool,
    _lock: File,
}

impl PartialFile {
    /// Creates `….part` beside the file, readable by its owner only. Removes an interrupted writer's part.
    pub fn create(whole: &Path) -> Result<Self, BackupError> {
        let path = with_suffix(whole, ".part");
        let lock_path = with_suffix(&path, ".lock");
        let lock_file = lock_exclusively(&lock_path).map_err(unusable(&lock_path))?;
        let lock_file = lock_file.ok_or_else(|| BackupError::UnderWay(whole.to_owned()))?;
        let part = Self {
            was_abandoned: path.exists(),
            final_path: whole.to_owned(),
            lock_path,
            _lock: lock_file,
            path,
        };
        part.remove_files();
        create_private(&part.path).map_err(unusable(&part.path))?;
        Ok(part)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether an interrupted writer's part was there.
    pub const fn was_abandoned(&self) -> bool {
        self.was_abandoned
    }

    /// Syncs the part to the disk and renames it.
    pub fn rename_into_place(self) -> Result<(), BackupError> {
        let kept = File::open(&self.path)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.path, &self.final_path))
            .and_then(|()| File::open(folder_of(&self.final_path))?.sync_all());
        kept.map_err(unusable(&self.final_path))
    }

    fn remove_files(&self) {
        let _ = fs::remove_file(&self.path);
        for ending in SQLITE_SUFFIXES {
            let _ = fs::remove_file(with_suffix(&self.path, ending));
        }
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // What cannot be removed here is removed by the next writer.
        let _ = as_owner_of(&self.final_path, || {
            // After the rename there is no part.
            self.remove_files();
            let _ = fs::remove_file(&self.lock_path);
        });
    }
}

/// Locks a file that the owner of the lock removes at the end; `None` while another has the lock.
fn lock_exclusively(path: &Path) -> io::Result<Option<File>> {
    loop {
        let Some(lock_file) = try_lock_file(path)? else {
            return Ok(None);
        };
        // The previous owner may have removed it after it was opened here: then its lock excludes no process.
        if FileIdentity::at(path).ok() == Some(FileIdentity::of_file(&lock_file)?) {
            return Ok(Some(lock_file));
        }
    }
}
