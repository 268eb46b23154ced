//! Secrets that all servers on one database share.

use super::storage::StorageError;
use async_trait::async_trait;

/// Stores secrets by name, such as the key that signs cursors.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SecretRepository: Send {
    /// The secret of that name; stores `fresh` if there is none, so that the first caller decides for all.
    async fn find_or_add(&mut self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StorageError>;
}
