use super::storage::StorageError;
use crate::ids::{AccountId, PersonLinkId, UserId};
use crate::link::{LinkHash, LinkKind, LinkTarget, PersonLink};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Stores links that are opened without a session; of their secrets only hashes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait LinkRepository: Send {
    /// Sets the hash of a link; an earlier one of the same kind and id ends.
    async fn set_hash(
        &mut self,
        target: LinkTarget,
        hash: LinkHash,
        expires_at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Also of links that ended.
    async fn find(&mut self, hash: LinkHash) -> Result<Option<LinkTarget>, StorageError>;

    async fn add(&mut self, link: &PersonLink) -> Result<(), StorageError>;
    async fn of_id(
        &mut self,
        home: AccountId,
        link: PersonLinkId,
    ) -> Result<Option<PersonLink>, StorageError>;
    /// Locks the link until the transaction ends.
    async fn lock(
        &mut self,
        home: AccountId,
        link: PersonLinkId,
    ) -> Result<Option<PersonLink>, StorageError>;
    /// The person's links that are not used, expired ones included.
    async fn unused(
        &mut self,
        home: AccountId,
        person: UserId,
    ) -> Result<Vec<PersonLink>, StorageError>;
    /// Marks the person's unused links of these kinds as used.
    async fn end(
        &mut self,
        home: AccountId,
        person: UserId,
        kinds: &[LinkKind],
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Deletes links that expired before.
    async fn purge_before(
        &mut self,
        home: AccountId,
        before: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
