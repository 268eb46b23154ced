//! For the operator: passwords of accounts created by command, and of owners who forgot theirs.

pub use super::end_sessions::EndedAccess;
use super::{may_be_storage, revoke_tokens::revoke_all};
use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::IdMint,
    password::{PasswordHash, PasswordRefusal},
    ports::{
        clock::Clock,
        password_hasher::{HashingError, PasswordHasher},
        storage::{Storage, StorageError, retrying},
    },
    throttle::ThrottleKey,
    user::User,
};
use std::sync::Arc;
use thiserror::Error;

pub struct SetPassword {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
    hasher: Arc<dyn PasswordHasher>,
}

#[derive(Debug, Error)]
pub enum SetPasswordError {
    #[error("the password {0}")]
    Unfit(#[from] PasswordRefusal),
    #[error(transparent)]
    Hashing(#[from] HashingError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(SetPasswordError);

impl SetPassword {
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

    /// All of the person's sessions end, and the account's tokens are revoked when asked. Guesses of
    /// others are counted anew, so that the owner can sign in with it at once.
    pub async fn run(
        &self,
        user: &User,
        password: &str,
        revokes_tokens: bool,
    ) -> Result<EndedAccess, SetPasswordError> {
        let known = [user.email.as_str(), user.name.as_str()].map(str::to_owned);
        let hash = self.hasher.hash_chosen(password, &known).await??;
        Ok(retrying(self.storage.as_ref(), || {
            self.once(user, &hash, revokes_tokens)
        })
        .await?)
    }

    async fn once(
        &self,
        user: &User,
        hash: &PasswordHash,
        revokes_tokens: bool,
    ) -> Result<EndedAccess, StorageError> {
        let (account, by, now) = (user.account, Actor::Operator, self.clock.now());
        let mut work = self.storage.write().await?;
        work.passwords()
            .set(user.account, user.id, hash, now)
            .await?;
        let key = ThrottleKey::of_email(&user.email);
        work.throttles().forget(key).await?;
        let sessions = work.sessions().end_all(account, user.id, None).await?;
        let (mut tokens, mut told) = (0, String::new());
        if revokes_tokens {
            let reason = "with the password";
            tokens = revoke_all(work.as_mut(), &self.mint, account, by, reason, now).await?;
            told = format!("; {tokens} tokens revoked");
        }
        let event = AuditEvent {
            detail: format!("of {}; {sessions} sessions ended{told}", user.email),
            ..AuditEvent::new(&self.mint, account, now, by, AuditAction::PasswordChanged)
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(EndedAccess { sessions, tokens })
    }
}
