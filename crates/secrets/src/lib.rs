//! The port for sealed secrets, with a key file that lies outside of the database.

mod envelope;
mod key_file;

pub use key_file::{KeyFileError, KeyRing, create, keep_first, prepend, read};

use chrono::{DateTime, Utc};
use domain::ports::randomness::Randomness;
use domain::ports::secret_cipher::{CipherError, SecretCipher};
use domain::sealed_secret::{Binding, KeyId, SecretBytes, SecretOwner, WrappedKey};
use envelope::Key;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use zeroize::Zeroizing;

/// Purpose of the envelope around a data key.
const DATA_KEY: &str = "data-key";

/// Seals with the keys of a file, which may change while processes run.
pub struct FileCipher {
    path: PathBuf,
    keys: RwLock<Arc<KeyRing>>,
    randomness: Arc<dyn Randomness>,
}

impl FileCipher {
    pub fn open(path: PathBuf, randomness: Arc<dyn Randomness>) -> Result<Self, KeyFileError> {
        let keys = RwLock::new(Arc::new(read(&path)?));
        Ok(Self {
            path,
            keys,
            randomness,
        })
    }

    /// Reads the file again, after a rotation. On an error the keys are unchanged.
    pub fn reload(&self) -> Result<(), KeyFileError> {
        let fresh = Arc::new(read(&self.path)?);
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    pub fn ids(&self) -> Vec<KeyId> {
        self.keys().ids().collect()
    }

    fn keys(&self) -> Arc<KeyRing> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn wrap(
        &self,
        (owner, version, at): (SecretOwner, u32, DateTime<Utc>),
        data_key: &Key,
    ) -> Result<WrappedKey, CipherError> {
        let keys = self.keys();
        let (id, key) = keys.wrapping();
        let bound = envelope::associated_data(owner, data_key_binding(version));
        Ok(WrappedKey {
            owner,
            version,
            wrapped_by: id,
            wrapped: envelope::seal(key, id.0, &bound, &**data_key, &*self.randomness)?,
            created_at: at,
        })
    }

    fn unwrap(&self, key: &WrappedKey) -> Result<Key, CipherError> {
        let id = envelope::reference_of(&key.wrapped).map(KeyId);
        let id = id.ok_or(CipherError::Damaged)?;
        let keys = self.keys();
        let wrapping = keys.find(id).ok_or(CipherError::UnknownKey(id))?;
        let bound = envelope::associated_data(key.owner, data_key_binding(key.version));
        let bytes = envelope::open(wrapping, id.0, &bound, &key.wrapped)?;
        let bytes = bytes.as_slice().try_into();
        bytes.map(Zeroizing::new).map_err(|_| CipherError::Damaged)
    }
}

fn data_key_binding(version: u32) -> Binding<'static> {
    Binding {
        purpose: DATA_KEY,
        row: version.into(),
    }
}

fn version_reference(key: &WrappedKey) -> [u8; 8] {
    u64::from(key.version).to_be_bytes()
}

impl SecretCipher for FileCipher {
    fn wrapping_key(&self) -> Result<KeyId, CipherError> {
        Ok(self.keys().wrapping().0)
    }

    fn new_data_key(
        &self,
        owner: SecretOwner,
        version: u32,
        at: DateTime<Utc>,
    ) -> Result<WrappedKey, CipherError> {
        let mut data_key = Zeroizing::new([0; envelope::KEY_BYTES]);
        self.randomness.fill(&mut *data_key);
        self.wrap((owner, version, at), &data_key)
    }

    fn rewrap(&self, key: &WrappedKey) -> Result<WrappedKey, CipherError> {
        self.wrap((key.owner, key.version, key.created_at), &self.unwrap(key)?)
    }

    fn seal(
        &self,
        key: &WrappedKey,
        binding: Binding<'_>,
        secret: &[u8],
    ) -> Result<Vec<u8>, CipherError> {
        let bound = envelope::associated_data(key.owner, binding);
        let data_key = self.unwrap(key)?;
        envelope::seal(
            &data_key,
            version_reference(key),
            &bound,
            secret,
            &*self.randomness,
        )
    }

    fn open(
        &self,
        key: &WrappedKey,
        binding: Binding<'_>,
        envelope: &[u8],
    ) -> Result<SecretBytes, CipherError> {
        let bound = envelope::associated_data(key.owner, binding);
        let data_key = self.unwrap(key)?;
        let opened = envelope::open(&data_key, version_reference(key), &bound, envelope)?;
        Ok(SecretBytes::new(opened.to_vec()))
    }
}

#[cfg(test)]
mod tests;
