//! A file that is locked during an audit, so that no other audit overwrites it.

use crate::terminal::eprint_line;
use anyhow::bail;
use std::fs;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use storage::as_owner_of;

/// Links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

/// The locked file. Its path may be replaced by another file meanwhile.
#[derive(Debug)]
pub(super) struct LockedFile {
    pub(super) file: File,
    /// The path after resolving symbolic links.
    pub(super) path: PathBuf,
    pub(super) requested_path: PathBuf,
    is_new: bool,
}

impl LockedFile {
    /// Opens the file, following symbolic links; creates an empty one if it is missing.
    pub(super) fn open(named: &Path) -> anyhow::Result<Self> {
        as_owner_of(named, || Self::lock(named))?
    }

    fn lock(named: &Path) -> anyhow::Result<Self> {
        let path = resolve_links(named)?;
        loop {
            let Some((file, is_new)) = open_or_create(&path)? else {
                continue;
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    bail!(
                        "another audit is using the file: wait for it to end, or choose another file"
                    )
                }
                Err(TryLockError::Error(error)) => eprint_line(format!(
                    "cannot lock {} ({error}): make sure that no other audit uses it",
                    path.display()
                )),
            }
            let locked = Self {
                file,
                path: path.clone(),
                requested_path: named.to_owned(),
                is_new,
            };
            // The previous holder of the lock may have replaced the file.
            if locked.is_current() {
                return Ok(locked);
            }
        }
    }

    fn is_current(&self) -> bool {
        let inode = |it: fs::Metadata| (it.dev(), it.ino());
        let named = fs::metadata(&self.path).map(inode).ok();
        named.is_some() && named == self.file.metadata().map(inode).ok()
    }
}

impl Drop for LockedFile {
    /// A failed audit leaves no empty file behind.
    fn drop(&mut self) {
        let _ = as_owner_of(&self.requested_path, || {
            if self.is_new && self.is_current() {
                let _ = fs::remove_file(&self.path);
            }
        });
    }
}

/// The file, and whether it was created; `None` after a race with another process.
fn open_or_create(path: &Path) -> anyhow::Result<Option<(File, bool)>> {
    let is_new = match fs::metadata(path) {
        Ok(found) if !found.is_file() => bail!("it is not a regular file: choose another file"),
        Ok(_) => false,
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        Err(error) => return Err(error.into()),
    };
    let file = if is_new {
        File::create_new(path)
    } else {
        File::open(path)
    };
    match file.map_err(|it| (it.kind(), it)) {
        Ok(file) => Ok(Some((file, is_new))),
        Err((ErrorKind::AlreadyExists, _)) if is_new => Ok(None),
        Err((ErrorKind::NotFound, _)) if !is_new => Ok(None),
        Err((_, error)) => Err(error.into()),
    }
}

/// The target of symbolic links, which may not exist.
pub(super) fn resolve_links(path: &Path) -> anyhow::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            return Ok(path);
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    bail!("too many levels of symbolic links")
}
