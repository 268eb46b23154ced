//! Secrets that all servers on one database share.

use super::storage::StorageError;
use crate::sealed_secret::{SealedSecret, WrappedKey};
use async_trait::async_trait;

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SecretRepository: Send {
    /// The unsealed secret of that name; stores `fresh` if there is none, so that the first caller decides for all.
    async fn find_or_add(&mut self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StorageError>;
    async fn find(&mut self, name: &str) -> Result<Option<[u8; 32]>, StorageError>;
    async fn remove(&mut self, name: &str) -> Result<(), StorageError>;

    /// The server's data keys, newest first.
    async fn server_keys(&mut self) -> Result<Vec<WrappedKey>, StorageError>;
    /// False, and nothing is stored, if there is one of that version.
    async fn add_server_key(&mut self, key: &WrappedKey) -> Result<bool, StorageError>;
    /// Stores the same data key wrapped by another key.
    async fn rewrap_server_key(&mut self, key: &WrappedKey) -> Result<(), StorageError>;

    /// The server's sealed secrets of that purpose, newest first.
    async fn sealed(&mut self, purpose: &str) -> Result<Vec<SealedSecret>, StorageError>;
    /// False, and nothing is stored, if there is one of that purpose and number.
    async fn add_sealed(&mut self, secret: &SealedSecret) -> Result<bool, StorageError>;
    /// Removes those of that purpose up to that number.
    async fn remove_sealed(&mut self, purpose: &str, up_to: u32) -> Result<(), StorageError>;
}
