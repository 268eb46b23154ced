use std::fs::{File, Metadata, TryLockError};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The path with `ending` appended.
pub fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

/// Free bytes for this user on the disk of a folder.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

/// Bytes below which the disk counts as full: a commit writes pages of 4 KiB to the write-ahead log.
const MIN_FREE_BYTES: u64 = 1 << 20;

pub fn is_full(free_bytes: Option<u64>) -> bool {
    free_bytes.is_some_and(|it| it < MIN_FREE_BYTES)
}

pub fn is_disk_full(file: &Path) -> bool {
    is_full(free_bytes(folder_of(file)))
}

/// Opens or creates a file that only its owner reads; `SQLite` gives files beside it the same mode. Follows no link.
pub fn open_private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    open_no_follow(&mut options, path)
}

/// Creates a file that only its owner reads. Fails where the name exists, also as a dangling link.
pub fn create_private(path: &Path) -> io::Result<File> {
    open_no_follow(fs::OpenOptions::new().write(true).create_new(true), path)
}

fn open_no_follow(options: &mut fs::OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::{fs::OFlags, io::Errno};
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a pipe of that name must not block.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
        let with_hint = |error: io::Error| {
            if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
                return io::Error::other("it is a link, which is not followed here: remove it");
            }
            error
        };
        let file = options.open(path).map_err(with_hint)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a file: remove it"));
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

/// Locks a file exclusively while the result lives; `None` while another has it.
pub fn try_lock_file(path: &Path) -> io::Result<Option<File>> {
    let file = open_private(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Device and inode number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity(u64, u64);

impl FileIdentity {
    /// Follows links.
    pub fn at(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|it| Self::of(&it))
    }

    pub fn of_file(file: &File) -> io::Result<Self> {
        file.metadata().map(|it| Self::of(&it))
    }

    #[cfg(unix)]
    fn of(about: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(about.dev(), about.ino())
    }

    /// Other systems have no such number: all files look alike.
    #[cfg(not(unix))]
    const fn of(_about: &Metadata) -> Self {
        Self(0, 0)
    }
}
