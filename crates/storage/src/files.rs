//! Files, those beside them, and whose they are.

use std::{
    fs::{self, File, Metadata, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// The file that is called like another, with that ending more.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The folder that a file is in.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

/// Opens or makes a file that only its owner reads; what `SQLite` makes beside it takes its mode.
pub fn private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Gives a file to whoever owns its folder. Root alone can, and has to: the server that will open it is somebody
/// with fewer rights.
pub fn give_to_owner_of_folder(path: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = fs::metadata(folder_of(path)) {
        use std::os::unix::fs::{MetadataExt, chown};
        // Whoever may not owns the file already.
        let _ = chown(path, Some(folder.uid()), Some(folder.gid()));
    }
}

/// Has a file for this process alone, as long as what is returned lives; `None` while another has it.
pub fn hold(path: &Path) -> io::Result<Option<File>> {
    let file = private(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Which file it is, whatever it is called: device and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity(u64, u64);

impl Identity {
    /// Of the file that a path leads to.
    pub fn at(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|it| Self::of(&it))
    }

    /// Of an open file.
    pub fn of_open(file: &File) -> io::Result<Self> {
        file.metadata().map(|it| Self::of(&it))
    }

    #[cfg(unix)]
    fn of(about: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(about.dev(), about.ino())
    }

    /// Elsewhere files have no number that can be asked for: each looks like any other.
    #[cfg(not(unix))]
    const fn of(_about: &Metadata) -> Self {
        Self(0, 0)
    }
}
