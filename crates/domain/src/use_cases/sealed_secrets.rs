//! Keys that servers share, sealed; and the rotation of the key that wraps data keys.

use super::{Core, impl_as_storage_error};
use crate::ports::secret_cipher::CipherError;
use crate::ports::storage::{StorageError, Transaction};
use crate::sealed_secret::{Binding, SealedSecret, SecretOwner, WrappedKey};
use crate::shared_key::{DatedKey, KeyPurpose, SharedKey};
use chrono::{DateTime, Utc};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum SecretError {
    #[error(transparent)]
    Cipher(#[from] CipherError),
    #[error("the data key {0} of the server is not in the database")]
    NoDataKey(u32),
    /// Another process rotates.
    #[error("the secrets of the server changed meanwhile")]
    Changed,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(SecretError);

/// What a rotation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rotation {
    /// Data keys that another key wraps now.
    pub rewrapped: usize,
    /// Keys of cursors and devices that were replaced.
    pub replaced: usize,
    /// Secrets that were not sealed before.
    pub sealed: usize,
}

impl Core {
    /// The key of all servers on this database; the first server makes it. Without a key file it is stored unsealed.
    pub async fn shared_key(&self, purpose: KeyPurpose) -> Result<SharedKey, SecretError> {
        let name = purpose.name();
        // Another server may write meanwhile: data keys come before what they seal, so they are read after it.
        let (unsealed, sealed, keys) = {
            let mut read = self.storage.read().await?;
            let secrets = read.secrets();
            (
                secrets.find(name).await?,
                secrets.sealed(name).await?,
                secrets.server_keys().await?,
            )
        };
        if let [newest, earlier @ ..] = &sealed[..] {
            let open = |it| self.opened(&keys, it);
            let earlier = earlier.iter().map(open).collect::<Result<_, _>>()?;
            return Ok(SharedKey::new(purpose, open(newest)?, earlier));
        }
        if let Some(key) = unsealed {
            return Ok(SharedKey::fixed(purpose, key));
        }
        match self.cipher.wrapping_key() {
            Err(CipherError::NoKeyFile) => {
                let fresh = self.fresh_secret();
                let add = |mut work: Box<dyn Transaction>| async move {
                    let key = work.secrets().find_or_add(name, fresh).await?;
                    work.commit().await?;
                    Ok::<_, StorageError>(key)
                };
                let key = self.storage.transaction(add).await?;
                Ok(SharedKey::fixed(purpose, key))
            }
            Err(error) => Err(error.into()),
            Ok(_) => {
                self.add_first_key(keys, name).await?;
                // Of two servers that start together, one stored its key.
                Box::pin(self.shared_key(purpose)).await
            }
        }
    }

    async fn add_first_key(&self, keys: Vec<WrappedKey>, name: &str) -> Result<(), SecretError> {
        let now = self.clock.now();
        let data_key = match keys.into_iter().next() {
            Some(it) => it,
            None => self.add_server_key(now).await?,
        };
        let secret = &self.sealed_secret(&data_key, (name, 1), &self.fresh_secret(), now)?;
        let add = |mut work: Box<dyn Transaction>| async move {
            work.secrets().add_sealed(secret).await?;
            work.commit().await
        };
        Ok(self.storage.transaction(add).await?)
    }

    /// The server's data key, which another process may have stored first.
    async fn add_server_key(&self, now: DateTime<Utc>) -> Result<WrappedKey, SecretError> {
        let fresh = &self.cipher.new_data_key(SecretOwner::Server, 1, now)?;
        let add = |mut work: Box<dyn Transaction>| async move {
            work.secrets().add_server_key(fresh).await?;
            let stored = work.secrets().server_keys().await?;
            work.commit().await?;
            Ok::<_, StorageError>(stored)
        };
        let stored = self.storage.transaction(add).await?;
        stored.into_iter().next().ok_or(SecretError::NoDataKey(1))
    }

    fn sealed_secret(
        &self,
        key: &WrappedKey,
        (purpose, number): (&str, u32),
        secret: &[u8; 32],
        at: DateTime<Utc>,
    ) -> Result<SealedSecret, SecretError> {
        let binding = Binding {
            purpose,
            row: number.into(),
        };
        Ok(SealedSecret {
            purpose: purpose.to_owned(),
            number,
            key_version: key.version,
            envelope: self.cipher.seal(key, binding, secret)?,
            created_at: at,
        })
    }

    fn opened(&self, keys: &[WrappedKey], of: &SealedSecret) -> Result<DatedKey, SecretError> {
        let key = keys.iter().find(|it| it.version == of.key_version);
        let key = key.ok_or(SecretError::NoDataKey(of.key_version))?;
        let opened = self.cipher.open(key, of.binding(), &of.envelope)?;
        let key = opened.reveal().try_into();
        Ok(DatedKey {
            key: key.map_err(|_| CipherError::Damaged)?,
            created_at: of.created_at,
        })
    }

    /// Wraps all data keys by the first key of the key file, seals what is stored unsealed, and replaces the keys of
    /// cursors and devices; the old ones are accepted for as long as what they signed is valid. May be repeated.
    pub async fn rotate_secrets(&self) -> Result<Rotation, SecretError> {
        let (now, mut done) = (self.clock.now(), Rotation::default());
        let wrapping = self.cipher.wrapping_key()?;
        let stored = self.storage.read().await?.secrets().server_keys().await?;
        for key in stored.iter().filter(|it| it.wrapped_by != wrapping) {
            let rewrapped = &self.cipher.rewrap(key)?;
            let put = |mut work: Box<dyn Transaction>| async move {
                work.secrets().rewrap_server_key(rewrapped).await?;
                work.commit().await
            };
            self.storage.transaction(put).await?;
            done.rewrapped += 1;
        }
        let data_key = match stored.into_iter().next() {
            Some(newest) => newest,
            None => self.add_server_key(now).await?,
        };
        for purpose in KeyPurpose::ALL {
            done.sealed += usize::from(self.replace_shared_key(&data_key, purpose, now).await?);
            done.replaced += 1;
        }
        Ok(done)
    }

    /// Whether the replaced key was unsealed.
    async fn replace_shared_key(
        &self,
        data_key: &WrappedKey,
        purpose: KeyPurpose,
        now: DateTime<Utc>,
    ) -> Result<bool, SecretError> {
        let name = purpose.name();
        let (unsealed, sealed) = {
            let mut read = self.storage.read().await?;
            let secrets = read.secrets();
            (secrets.find(name).await?, secrets.sealed(name).await?)
        };
        let mut fresh = Vec::new();
        let mut number = sealed.first().map_or(0, |it| it.number);
        if let (0, Some(key)) = (number, &unsealed) {
            number += 1;
            fresh.push(self.sealed_secret(data_key, (name, number), key, DateTime::UNIX_EPOCH)?);
        }
        number += 1;
        fresh.push(self.sealed_secret(data_key, (name, number), &self.fresh_secret(), now)?);
        let is_over = |it: &SealedSecret| purpose.replaced_until(it.created_at) <= now;
        let over = { sealed.iter().skip_while(|it| !is_over(it)) }.nth(1);
        let (over, fresh) = (over.map(|it| it.number), &fresh);
        let put = |mut work: Box<dyn Transaction>| async move {
            let secrets = work.secrets();
            for secret in fresh {
                if !secrets.add_sealed(secret).await? {
                    return Err(SecretError::Changed);
                }
            }
            if let Some(number) = over {
                secrets.remove_sealed(name, number).await?;
            }
            secrets.remove(name).await?;
            Ok(work.commit().await?)
        };
        self.storage.transaction(put).await?;
        Ok(unsealed.is_some())
    }
}
