//! The file of a `SQLite` database: resolved through links, created on request, readable by its owner only, for one
//! server.

use crate::files::{FileIdentity, folder_of, open_private, try_lock_file, with_suffix};
use crate::opening::{Exclusive, OpenError, OpenOptions};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::{fs, io};

const SIGNATURE: &[u8] = b"SQLite format 3\0";
const MAX_LINKS: usize = 40;

pub struct Prepared {
    /// With all links resolved.
    pub path: PathBuf,
    pub identity: FileIdentity,
    /// A server's lock; `None` for a tool.
    pub lock: Option<File>,
}

/// Ensures that the file exists, and locks it for a server, as long as the result lives.
pub fn prepare(named: &Path, options: &OpenOptions) -> Result<Prepared, OpenError> {
    let path = resolve_path(named)?;
    if !path.exists() {
        if !options.create {
            return Err(OpenError::NoDatabase(named.to_owned()));
        }
        open_private(&path).map_err(file_error(&path))?;
    }
    if !is_database(&path).map_err(file_error(&path))? {
        return Err(OpenError::NotADatabase(named.to_owned()));
    }
    let lock = match options.exclusive {
        Exclusive::Tool => None,
        Exclusive::Server => Some(lock(&path)?),
    };
    let identity = FileIdentity::at(&path).map_err(file_error(&path))?;
    Ok(Prepared {
        path,
        identity,
        lock,
    })
}

/// Resolves all links: `SQLite` puts its log there, and the lock must be the same under every path.
pub fn resolve_path(path: &Path) -> Result<PathBuf, OpenError> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let folder = resolve_folder(folder_of(&path))?;
        let Some(name) = path.file_name() else {
            return Err(file_error(&path)(ErrorKind::InvalidInput.into()));
        };
        let place = folder.join(name);
        match fs::read_link(&place) {
            Ok(leads_to) => path = folder.join(leads_to),
            // Not a link, or it does not exist yet.
            Err(_) => return Ok(place),
        }
    }
    Err(file_error(&path)(io::Error::other("links lead in circles")))
}

fn resolve_folder(folder: &Path) -> Result<PathBuf, OpenError> {
    match folder.canonicalize().map_err(|error| (error.kind(), error)) {
        Ok(real) if real.is_dir() => Ok(real),
        Ok(_) | Err((ErrorKind::NotFound | ErrorKind::NotADirectory, _)) => {
            Err(OpenError::NoFolder(folder.to_owned()))
        }
        Err((_, error)) => Err(file_error(folder)(error)),
    }
}

/// An empty file is a new database, any other begins with SQLite's signature (<https://sqlite.org/fileformat2.html>,
/// 1.3.1).
pub fn is_database(path: &Path) -> io::Result<bool> {
    let mut begin = Vec::new();
    File::open(path)?
        .take(SIGNATURE.len() as u64)
        .read_to_end(&mut begin)?;
    Ok(begin.is_empty() || begin == SIGNATURE)
}

/// Locks a file, with a path from [`resolve_path`], for one server, as long as the result lives.
pub fn lock(path: &Path) -> Result<File, OpenError> {
    let lock_path = with_suffix(path, ".lock");
    let lock_file = try_lock_file(&lock_path).map_err(file_error(&lock_path))?;
    lock_file.ok_or_else(|| OpenError::InUse(path.to_owned()))
}

fn file_error(path: &Path) -> impl FnOnce(io::Error) -> OpenError {
    let path = path.to_owned();
    move |source| OpenError::File { path, source }
}
