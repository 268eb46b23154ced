use super::storage::StorageError;
use crate::{ai_models::ModelSettings, ids::AccountId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores how accounts query AI engines. Engines that an account has not configured are absent.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AiModelRepository: Send {
    /// Sets an engine's settings, replacing earlier ones.
    async fn set(
        &mut self,
        account: AccountId,
        settings: &ModelSettings,
    ) -> Result<(), StorageError>;
    /// Stored settings, in the order of the engines' names.
    async fn list(&mut self, account: AccountId) -> Result<Vec<ModelSettings>, StorageError>;
    async fn note_use(
        &mut self,
        account: AccountId,
        engines: &[String],
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    async fn last_used(
        &mut self,
        account: AccountId,
    ) -> Result<Vec<(String, DateTime<Utc>)>, StorageError>;
}
