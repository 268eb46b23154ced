//! Sets somebody's password, for the operator: of accounts that were created by command, and of
//! owners who forgot theirs.

use super::may_be_storage;
use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::IdMint,
    password::{PasswordHash, PasswordRefusal},
    ports::{
        clock::Clock,
        password_hasher::{HashingError, PasswordHasher},
        storage::{Storage, StorageError, retrying},
    },
    user::User,
};
use std::sync::Arc;
use thiserror::Error;

/// Sets passwords.
pub struct SetPassword {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
    hasher: Arc<dyn PasswordHasher>,
}

/// Why none is set.
#[derive(Debug, Error)]
pub enum SetPasswordError {
    /// It may not become a password.
    #[error("the password {0}")]
    Unfit(#[from] PasswordRefusal),
    /// The hash cannot be computed.
    #[error(transparent)]
    Hashing(#[from] HashingError),
    /// Breakage.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(SetPasswordError);

impl SetPassword {
    /// On this storage, clock, mint and hasher.
    #[must_use]
    pub fn new(
        storage: Arc<dyn Storage>,
        clock: Arc<dyn Clock>,
        mint: Arc<IdMint>,
        hasher: Arc<dyn PasswordHasher>,
    ) -> Self {
        Self {
            storage,
            clock,
            mint,
            hasher,
        }
    }

    /// All of the person's sessions end; how many there were.
    pub async fn run(&self, user: &User, password: &str) -> Result<u64, SetPasswordError> {
        let known = [user.email.as_str(), user.name.as_str()].map(str::to_owned);
        let hash = self.hasher.hash_chosen(password, &known).await??;
        Ok(retrying(self.storage.as_ref(), || self.once(user, &hash)).await?)
    }

    async fn once(&self, user: &User, hash: &PasswordHash) -> Result<u64, StorageError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        work.passwords()
            .set(user.account, user.id, hash, now)
            .await?;
        let ended = work.sessions().end_all(user.account, user.id, None).await?;
        let event = AuditEvent {
            detail: format!("of {}; {ended} sessions ended", user.email),
            ..AuditEvent::new(
                &self.mint,
                user.account,
                now,
                Actor::Operator,
                AuditAction::PasswordChanged,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(ended)
    }
}
