use super::storage::StorageError;
use crate::ids::{AccountId, InvitationId};
use crate::invitation::Invitation;
use crate::link::LinkHash;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores invitations; their links only as hashes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait InvitationRepository: Send {
    async fn add(&mut self, invitation: &Invitation, link: LinkHash) -> Result<(), StorageError>;
    /// In any state. Two indexed reads.
    async fn find_by_link(&mut self, link: LinkHash) -> Result<Option<Invitation>, StorageError>;
    /// Locks it until the transaction ends.
    async fn lock(
        &mut self,
        account: AccountId,
        invitation: InvitationId,
    ) -> Result<Option<Invitation>, StorageError>;
    /// Saves times and end. `link` becomes its only link; `None` removes it.
    async fn save(
        &mut self,
        invitation: &Invitation,
        link: Option<LinkHash>,
    ) -> Result<(), StorageError>;
    /// Those issued after a time, newest first.
    async fn list(
        &mut self,
        account: AccountId,
        after: DateTime<Utc>,
    ) -> Result<Vec<Invitation>, StorageError>;
    /// Deletes those issued before a time; returns how many.
    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
