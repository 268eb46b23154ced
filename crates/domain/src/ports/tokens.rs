use super::storage::StorageError;
use crate::account::Account;
use crate::ids::{AccountId, TokenId};
use crate::token::{ApiToken, RevokeReason, TokenHash};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownToken {
    pub token: ApiToken,
    /// The token's account, read in the same statement, because every request needs it.
    pub account: Account,
}

/// Stores API tokens, only as hashes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait TokenRepository: Send {
    async fn add(&mut self, token: &ApiToken, hash: TokenHash) -> Result<(), StorageError>;
    /// The token with that hash, in any state. One indexed read.
    async fn find_by_hash(&mut self, hash: TokenHash) -> Result<Option<KnownToken>, StorageError>;
    /// The account's tokens, newest first.
    async fn list(&mut self, account: AccountId) -> Result<Vec<ApiToken>, StorageError>;
    /// `false` if there is no such token, or it ends by then anyway.
    async fn revoke(
        &mut self,
        account: AccountId,
        token: TokenId,
        at: DateTime<Utc>,
        reason: RevokeReason,
    ) -> Result<bool, StorageError>;
    /// Revokes all tokens of the account that would end later or never; returns them.
    async fn revoke_all(
        &mut self,
        account: AccountId,
        at: DateTime<Utc>,
        reason: RevokeReason,
    ) -> Result<Vec<TokenId>, StorageError>;
    async fn note_use(
        &mut self,
        account: AccountId,
        token: TokenId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
}
