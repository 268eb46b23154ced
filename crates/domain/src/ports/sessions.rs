use super::storage::StorageError;
use crate::account::Account;
use crate::ids::{AccountId, SessionId, UserId};
use crate::rights::Role;
use crate::session::{Session, SessionHash};
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSession {
    pub session: Session,
    /// Its user as member of the account that it works in, read with it.
    pub user: User,
    /// The account that it works in, likewise.
    pub account: Account,
}

/// Stores sessions; their secrets only as hashes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SessionRepository: Send {
    /// `role` is the user's in the account that the session works in.
    async fn add(
        &mut self,
        session: &Session,
        hash: SessionHash,
        role: Role,
    ) -> Result<(), StorageError>;
    /// The session with that hash, in any state. Two indexed reads, three of a member who does not own the home account.
    async fn find_by_hash(
        &mut self,
        hash: SessionHash,
    ) -> Result<Option<KnownSession>, StorageError>;
    /// Whether the session exists; it cannot be ended until the transaction ends.
    async fn lock(&mut self, home: AccountId, session: SessionId) -> Result<bool, StorageError>;
    /// The user's sessions, last used first.
    async fn list(&mut self, home: AccountId, user: UserId) -> Result<Vec<Session>, StorageError>;
    /// Ends these sessions of the user; returns how many existed.
    async fn end(
        &mut self,
        home: AccountId,
        user: UserId,
        sessions: &[SessionId],
    ) -> Result<u64, StorageError>;
    /// Ends all sessions of the user but that one; returns how many existed.
    async fn end_all(
        &mut self,
        home: AccountId,
        user: UserId,
        but: Option<SessionId>,
    ) -> Result<u64, StorageError>;
    /// Ends all sessions that are stored in an account or work in it; returns how many existed.
    async fn end_all_of_account(&mut self, account: AccountId) -> Result<u64, StorageError>;
    async fn note_use(
        &mut self,
        home: AccountId,
        session: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Deletes the account's sessions begun or last used at or before these times.
    async fn purge_expired(
        &mut self,
        home: AccountId,
        begun: DateTime<Utc>,
        used: DateTime<Utc>,
    ) -> Result<u64, StorageError>;
}
