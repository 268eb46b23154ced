//! Who is signed in. Pages ask this; the session work answers it.

use async_trait::async_trait;
use domain::{account::Account, ports::storage::StorageError, user::User};

/// Somebody who is signed in, and whose data they see.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// Whose data.
    pub account: Account,
    /// Who looks at it.
    pub user: User,
}

/// Tells who sent a request.
#[async_trait]
pub trait Door: Send + Sync {
    /// Whose session the cookies name; `None` when they name none that lasts.
    async fn signed_in(&self, cookies: &[String]) -> Result<Option<SignedIn>, StorageError>;
}

/// A door that lets nobody in: what stands until sessions are built.
pub struct Closed;

#[async_trait]
impl Door for Closed {
    async fn signed_in(&self, _: &[String]) -> Result<Option<SignedIn>, StorageError> {
        Ok(None)
    }
}
