use super::storage::StorageError;
use crate::account::Account;
use crate::ids::{AccountId, SessionId, UserId};
use crate::session::{Session, SessionHash};
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSession {
    pub session: Session,
    /// Its person, read in the same statement.
    pub user: User,
    /// Its account, likewise.
    pub account: Account,
}

/// Remembers sessions; only hashes of them.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SessionRepository: Send {
    async fn add(&mut self, session: &Session, hash: SessionHash) -> Result<(), StorageError>;
    /// The session with that hash, whatever state it is in. One indexed read.
    async fn find_by_hash(
        &mut self,
        hash: SessionHash,
    ) -> Result<Option<KnownSession>, StorageError>;
    /// Whether the session is still there; it is kept from being ended until the transaction ends.
    async fn lock(&mut self, account: AccountId, session: SessionId) -> Result<bool, StorageError>;
    /// The person's sessions, the one used last first.
    async fn list(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Vec<Session>, StorageError>;
    /// Ends these sessions of the person; how many there were.
    async fn end(
        &mut self,
        account: AccountId,
        user: UserId,
        sessions: &[SessionId],
    ) -> Result<u64, StorageError>;
    /// Ends all sessions of the person but that one; how many there were.
    async fn end_all(
        &mut self,
        account: AccountId,
        user: UserId,
        but: Option<SessionId>,
    ) -> Result<u64, StorageError>;
    /// Ends all sessions of an account; how many there were.
    async fn end_account(&mut self, account: AccountId) -> Result<u64, StorageError>;
    async fn note_use(
        &mut self,
        account: AccountId,
        session: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Forgets the account's sessions begun or last used at these moments or before.
    async fn forget(
        &mut self,
        account: AccountId,
        begun: DateTime<Utc>,
        used: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
