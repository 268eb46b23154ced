//! The file of a `SQLite` database: made on request, readable by its owner alone, and one
//! server's at a time.

use crate::opening::{Exclusive, OpenError, OpenOptions};
use std::{
    fs::{self, File, TryLockError},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// How a database begins.
const SIGNATURE: &[u8] = b"SQLite format 3\0";

/// Makes sure that the file is there, and locks it for a server. The lock lives as long as the
/// file that is returned.
pub fn prepare(path: &Path, options: &OpenOptions) -> Result<Option<File>, OpenError> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|it| !it.is_dir()) {
        return Err(OpenError::NoFolder(folder.to_owned()));
    }
    if !path.exists() {
        if !options.create {
            return Err(OpenError::NoDatabase(path.to_owned()));
        }
        private(path).map_err(refused(path))?;
    }
    if !is_database(path).map_err(refused(path))? {
        return Err(OpenError::NotADatabase(path.to_owned()));
    }
    match options.exclusive {
        Exclusive::Tool => Ok(None),
        Exclusive::Server => lock(path).map(Some),
    }
}

/// An empty file is a database to be, any other begins with SQLite's signature
/// (<https://sqlite.org/fileformat2.html>, 1.3.1).
fn is_database(path: &Path) -> io::Result<bool> {
    let mut begin = Vec::new();
    File::open(path)?
        .take(SIGNATURE.len() as u64)
        .read_to_end(&mut begin)?;
    Ok(begin.is_empty() || begin == SIGNATURE)
}

/// Keeps the file for one server, as long as what is returned lives.
pub fn lock(path: &Path) -> Result<File, OpenError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let beside = PathBuf::from(name);
    let file = private(&beside).map_err(refused(&beside))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(refused(&beside)(source)),
    }
}

/// Opens or makes a file that only its owner reads; `-wal` and `-shm` take its mode.
pub fn private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> OpenError {
    let path = path.to_owned();
    move |source| OpenError::File { path, source }
}
