use super::storage::StorageError;
use crate::account::Account;
use crate::ids::{AccountId, TokenId};
use crate::token::{ApiToken, RevokeReason, TokenHash};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownToken {
    pub token: ApiToken,
    /// Its account, read in the same statement: every answer needs something of it.
    pub account: Account,
}

/// Remembers API tokens; only hashes of them.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait TokenRepository: Send {
    async fn add(&mut self, token: &ApiToken, hash: TokenHash) -> Result<(), StorageError>;
    /// The token with that hash, whatever state it is in. One indexed read.
    async fn find_by_hash(&mut self, hash: TokenHash) -> Result<Option<KnownToken>, StorageError>;
    /// The account's tokens, newest first.
    async fn list(&mut self, account: AccountId) -> Result<Vec<ApiToken>, StorageError>;
    /// `false` when there is no such token, or it ends by then anyhow.
    async fn revoke(
        &mut self,
        account: AccountId,
        token: TokenId,
        at: DateTime<Utc>,
        reason: RevokeReason,
    ) -> Result<bool, StorageError>;
    /// Ends all of the account's tokens that would end later or never; which they were.
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
