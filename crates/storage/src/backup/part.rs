//! A backup file that is being written: one per name, removed unless its writer finishes.

use super::{BackupError, unusable};
use crate::files::{Identity, beside, folder_of, hold, new_private};
use crate::ownership::as_owner_of;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Suffixes of the files that `SQLite` may put beside a database.
pub const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Removed when dropped, unless [`Part::becomes_whole`] was called.
pub struct Part {
    path: PathBuf,
    whole: PathBuf,
    /// Locked while the part is written. A file of its own, since SQLite locks the part itself.
    held_by: PathBuf,
    was_left: bool,
    _held: File,
}

impl Part {
    /// Creates `….part` beside the file, readable by its owner only. Removes an interrupted writer's part.
    pub fn beside(whole: &Path) -> Result<Self, BackupError> {
        let path = beside(whole, ".part");
        let held_by = beside(&path, ".lock");
        let held = hold_until_removed(&held_by).map_err(unusable(&held_by))?;
        let held = held.ok_or_else(|| BackupError::UnderWay(whole.to_owned()))?;
        let part = Self {
            was_left: path.exists(),
            whole: whole.to_owned(),
            held_by,
            _held: held,
            path,
        };
        part.throw_away();
        new_private(&part.path).map_err(unusable(&part.path))?;
        Ok(part)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether an interrupted writer's part was there.
    pub const fn was_left(&self) -> bool {
        self.was_left
    }

    /// Syncs the part to the disk and renames it.
    pub fn becomes_whole(self) -> Result<(), BackupError> {
        let kept = File::open(&self.path)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.path, &self.whole))
            .and_then(|()| File::open(folder_of(&self.whole))?.sync_all());
        kept.map_err(unusable(&self.whole))
    }

    fn throw_away(&self) {
        let _ = fs::remove_file(&self.path);
        for ending in BESIDE {
            let _ = fs::remove_file(beside(&self.path, ending));
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // What cannot be removed here is removed by the next writer.
        let _ = as_owner_of(&self.whole, || {
            // After the rename there is no part.
            self.throw_away();
            let _ = fs::remove_file(&self.held_by);
        });
    }
}

/// Locks a file that the owner of the lock removes at the end; `None` while another has the lock.
fn hold_until_removed(path: &Path) -> io::Result<Option<File>> {
    loop {
        let Some(held) = hold(path)? else {
            return Ok(None);
        };
        // The previous owner may have removed it after it was opened here: then its lock excludes nobody.
        if Identity::at(path).ok() == Some(Identity::of_open(&held)?) {
            return Ok(Some(held));
        }
    }
}
