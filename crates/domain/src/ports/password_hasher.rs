use crate::password::{HashCost, PasswordHash, PasswordRefusal, TypedPassword};
use async_trait::async_trait;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    Wrong,
    Right {
        /// Its hash was made with other parameters than hashes are made with now.
        is_outdated: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HashingError {
    /// As many wait as may.
    #[error("too many passwords are being checked")]
    Busy,
    #[error("a password hash cannot be computed: {0}")]
    Broken(String),
}

/// Makes and compares hashes. Each takes long on purpose, so it is done off the async threads, a
/// few at a time, and only so many may wait.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// A hash of that password, with a salt of its own.
    async fn hash(&self, password: &TypedPassword) -> Result<PasswordHash, HashingError>;
    /// The same of a text that is to become a password ([`TypedPassword::chosen`]), unless it may
    /// not: how soon it is guessed takes long to estimate as well.
    async fn hash_chosen(
        &self,
        text: &str,
        known: &[String],
    ) -> Result<Result<PasswordHash, PasswordRefusal>, HashingError>;
    async fn compare(
        &self,
        password: &TypedPassword,
        hash: &PasswordHash,
    ) -> Result<Compared, HashingError>;
    /// Takes as long as comparing with a hash of that cost, or of today's where there is none, and
    /// finds out nothing: so that the time does not tell whether somebody has a password.
    async fn pretend(
        &self,
        password: &TypedPassword,
        cost: Option<HashCost>,
    ) -> Result<(), HashingError>;
}
