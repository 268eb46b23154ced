//! The key file: a key a line, `sightline-key-1 <id> <key in base64>`. The first key wraps, all open.

use crate::envelope::{KEY_BYTES, Key};
use base64::{Engine, prelude::BASE64_STANDARD};
use domain::ports::randomness::Randomness;
use domain::sealed_secret::KeyId;
use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use thiserror::Error;
use zeroize::Zeroizing;

const WORD: &str = "sightline-key-1";
/// More lines than any rotation needs.
const MAX_BYTES: u64 = 16 * 1_024;
/// A group may read it, as of secrets that Kubernetes mounts.
const MAY_NOT: u32 = 0o037;
/// Of a file that is created: only its owner may read it.
const MODE: Mode = Mode::RUSR.union(Mode::WUSR);

#[derive(Debug, Error)]
pub enum KeyFileError {
    #[error("cannot use the key file {}: {source}", .path.display())]
    File { path: PathBuf, source: io::Error },
    #[error(
        "the key file {} may be read by others (mode {mode:o}): run `chmod 600` on it",
        .path.display()
    )]
    Open { path: PathBuf, mode: u32 },
    #[error(
        "line {line} of the key file {} is not `{WORD} ID KEY`: restore the file from its copy",
        .path.display()
    )]
    Line { path: PathBuf, line: usize },
    #[error("the key file {} holds no key: restore it from its copy", .0.display())]
    Empty(PathBuf),
    #[error("the key file {} exists already", .0.display())]
    Exists(PathBuf),
}

/// The keys of a file, the wrapping one first; never empty.
#[derive(Clone)]
pub struct KeyRing(Vec<(KeyId, Key)>);

impl KeyRing {
    pub fn wrapping(&self) -> (KeyId, &Key) {
        let (id, key) = &self.0[0];
        (*id, key)
    }

    pub fn find(&self, id: KeyId) -> Option<&Key> {
        { self.0.iter() }.find_map(|(known, key)| (*known == id).then_some(key))
    }

    pub fn ids(&self) -> impl Iterator<Item = KeyId> {
        self.0.iter().map(|(id, _)| *id)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, KeyFileError> {
        let mut keys = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line_is_wrong = || KeyFileError::Line {
                path: path.to_owned(),
                line: at + 1,
            };
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            keys.push(parse_line(line).ok_or_else(line_is_wrong)?);
        }
        if keys.is_empty() {
            return Err(KeyFileError::Empty(path.to_owned()));
        }
        Ok(Self(keys))
    }

    fn text(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::new());
        for (id, key) in &self.0 {
            let encoded = Zeroizing::new(BASE64_STANDARD.encode(key.as_slice()));
            text.extend([WORD, " ", &id.to_string(), " ", &encoded, "\n"]);
        }
        text
    }
}

/// `None` unless the id is that of the key, so that a damaged line is noticed.
fn parse_line(line: &str) -> Option<(KeyId, Key)> {
    let mut words = line.split_ascii_whitespace();
    let is_known = words.next() == Some(WORD);
    let (id, encoded) = (KeyId::parse(words.next()?)?, words.next()?);
    let bytes = Zeroizing::new(BASE64_STANDARD.decode(encoded).ok()?);
    let key: Key = Zeroizing::new(bytes.as_slice().try_into().ok()?);
    (is_known && words.next().is_none() && id_of(&key) == id).then_some((id, key))
}

/// The first 8 bytes of SHA-256 over a label and the key.
fn id_of(key: &Key) -> KeyId {
    let digest = Sha256::new()
        .chain_update(b"sightline-kek-id")
        .chain_update(**key)
        .finalize();
    let mut id = [0; 8];
    id.copy_from_slice(&digest[..8]);
    KeyId(id)
}

fn fresh(randomness: &dyn Randomness) -> (KeyId, Key) {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    randomness.fill(&mut *key);
    (id_of(&key), key)
}

fn unusable(path: &Path) -> impl Fn(io::Error) -> KeyFileError {
    let path = path.to_owned();
    move |source| KeyFileError::File {
        path: path.clone(),
        source,
    }
}

/// Reads the file. A link in its place, and a file that others may read, are refused.
pub fn read(path: &Path) -> Result<KeyRing, KeyFileError> {
    let wrong = unusable(path);
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    let file = File::from(opened.map_err(|it| wrong(it.into()))?);
    let mode = file.metadata().map_err(&wrong)?.permissions().mode() & 0o777;
    if mode & MAY_NOT != 0 {
        let path = path.to_owned();
        return Err(KeyFileError::Open { path, mode });
    }
    let mut text = Zeroizing::new(String::new());
    file.take(MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(&wrong)?;
    KeyRing::parse(path, &text)
}

/// Creates the file with one key. It is on the disk when this returns.
pub fn create(path: &Path, randomness: &dyn Randomness) -> Result<KeyRing, KeyFileError> {
    let ring = KeyRing(vec![fresh(randomness)]);
    match write_new(path, &ring) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(KeyFileError::Exists(path.to_owned()))
        }
        written => written.map(|()| ring).map_err(unusable(path)),
    }
}

/// Puts a new key before the others: it wraps from now on.
pub fn prepend(path: &Path, randomness: &dyn Randomness) -> Result<KeyRing, KeyFileError> {
    let KeyRing(old) = read(path)?;
    replace(path, [vec![fresh(randomness)], old].concat())
}

/// Removes all keys but the first.
pub fn keep_first(path: &Path) -> Result<KeyRing, KeyFileError> {
    let KeyRing(mut keys) = read(path)?;
    keys.truncate(1);
    replace(path, keys)
}

fn replace(path: &Path, keys: Vec<(KeyId, Key)>) -> Result<KeyRing, KeyFileError> {
    let wrong = unusable(path);
    let ring = KeyRing(keys);
    let part = path.with_extension("key.part");
    if let Err(error) = fs::remove_file(&part)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(wrong(error));
    }
    let before = fs::symlink_metadata(path).map_err(&wrong)?;
    write_new(&part, &ring).map_err(&wrong)?;
    // The owner stays, also if root runs the command.
    std::os::unix::fs::chown(&part, Some(before.uid()), Some(before.gid())).map_err(&wrong)?;
    fs::rename(&part, path).map_err(&wrong)?;
    sync_folder(path).map_err(&wrong)?;
    Ok(ring)
}

fn write_new(path: &Path, ring: &KeyRing) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::open(path, flags, MODE)?);
    file.write_all(ring.text().as_bytes())?;
    file.sync_all()?;
    sync_folder(path)
}

/// A new name is lost with the power unless its folder is on the disk too.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()
}
