use crate::sealed_secret::{Binding, KeyId, SecretBytes, SecretOwner, WrappedKey};
use chrono::{DateTime, Utc};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CipherError {
    #[error("there is no key file")]
    NoKeyFile,
    #[error("the key {0} is not in the key file")]
    UnknownKey(KeyId),
    /// The envelope was changed, or belongs to another owner, purpose or row.
    #[error("the sealed secret does not open: it was changed, or belongs elsewhere")]
    Damaged,
}

/// Seals and opens secrets with the keys of a file that is not in the database.
pub trait SecretCipher: Send + Sync {
    /// The key that wraps new data keys.
    fn wrapping_key(&self) -> Result<KeyId, CipherError>;
    fn new_data_key(
        &self,
        owner: SecretOwner,
        version: u32,
        at: DateTime<Utc>,
    ) -> Result<WrappedKey, CipherError>;
    /// The same data key, wrapped by [`SecretCipher::wrapping_key`].
    fn rewrap(&self, key: &WrappedKey) -> Result<WrappedKey, CipherError>;
    fn seal(
        &self,
        key: &WrappedKey,
        binding: Binding<'_>,
        secret: &[u8],
    ) -> Result<Vec<u8>, CipherError>;
    fn open(
        &self,
        key: &WrappedKey,
        binding: Binding<'_>,
        envelope: &[u8],
    ) -> Result<SecretBytes, CipherError>;
}

/// Without a key file: nothing is sealed, and nothing opens.
pub struct NoKeyFile;

impl SecretCipher for NoKeyFile {
    fn wrapping_key(&self) -> Result<KeyId, CipherError> {
        Err(CipherError::NoKeyFile)
    }

    fn new_data_key(
        &self,
        _: SecretOwner,
        _: u32,
        _: DateTime<Utc>,
    ) -> Result<WrappedKey, CipherError> {
        Err(CipherError::NoKeyFile)
    }

    fn rewrap(&self, _: &WrappedKey) -> Result<WrappedKey, CipherError> {
        Err(CipherError::NoKeyFile)
    }

    fn seal(&self, _: &WrappedKey, _: Binding<'_>, _: &[u8]) -> Result<Vec<u8>, CipherError> {
        Err(CipherError::NoKeyFile)
    }

    fn open(&self, _: &WrappedKey, _: Binding<'_>, _: &[u8]) -> Result<SecretBytes, CipherError> {
        Err(CipherError::NoKeyFile)
    }
}
