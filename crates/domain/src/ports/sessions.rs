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
    /// The session's user, read in the same statement.
    pub user: User,
    /// The session's account, likewise.
    pub account: Account,
}

/// Stores sessions; their secrets only as hashes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SessionRepository: Send {
    async fn add(&mut self, session: &Session, hash: SessionHash) -> Result<(), StorageError>;
    /// The session with that hash, in any state. One indexed read.
    async fn find_by_hash(
        &mut self,
        hash: SessionHash,
    ) -> Result<Option<KnownSession>, StorageError>;
    /// Whether the session exists; it cannot be ended until the transaction ends.
    async fn lock(&mut self, account: AccountId, session: SessionId) -> Result<bool, StorageError>;
    /// The user's sessions, last used first.
    async fn list(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Vec<Session>, StorageError>;
    /// Ends these sessions of the user; returns how many existed.
    async fn end(
        &mut self,
        account: AccountId,
        user: UserId,
        sessions: &[SessionId],
    ) -> Result<u64, StorageError>;
    /// Ends all sessions of the user but that one; returns how many existed.
    async fn end_all(
        &mut self,
        account: AccountId,
        user: UserId,
        but: Option<SessionId>,
    ) -> Result<u64, StorageError>;
    /// Ends all sessions of an account; returns how many existed.
    async fn end_all_of_account(&mut self, account: AccountId) -> Result<u64, StorageError>;
    async fn note_use(
        &mut self,
        account: AccountId,
        session: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Deletes the account's sessions begun or last used at or before these times.
    async fn purge_expired(
        &mut self,
        account: AccountId,
        begun: DateTime<Utc>,
        used: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
