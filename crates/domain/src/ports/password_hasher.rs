use crate::password::{HashCost, PasswordHash, PasswordRefusal, TypedPassword};
use async_trait::async_trait;
use thiserror::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    Wrong,
    Right {
        /// The hash was made with outdated parameters.
        is_outdated: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HashingError {
    /// The wait queue is full.
    #[error("too many passwords are being checked")]
    Busy,
    #[error("a password hash cannot be computed: {0}")]
    Failed(String),
}

/// Hashes and verifies passwords off the async threads, because both are deliberately slow.
/// Concurrency and waiting calls are bounded.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// Hashes the password with a fresh salt.
    async fn hash(&self, password: &TypedPassword) -> Result<PasswordHash, HashingError>;
    /// Validates a new password ([`TypedPassword::parse_new`]) and hashes it; estimating its strength is slow as well.
    async fn hash_new(
        &self,
        text: &str,
        known: &[String],
    ) -> Result<Result<PasswordHash, PasswordRefusal>, HashingError>;
    async fn verify(
        &self,
        password: &TypedPassword,
        hash: &PasswordHash,
    ) -> Result<Verification, HashingError>;
    /// Takes as long as verifying a hash of that cost (the current one if `None`), so that timing
    /// does not reveal whether a user has a password.
    async fn verify_dummy(
        &self,
        password: &TypedPassword,
        cost: Option<HashCost>,
    ) -> Result<(), HashingError>;
}
