use super::{accounts::AccountRow, stored::row};
use crate::schema::{api_tokens, token_directory};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::ids::{AccountId, TokenId, UserId};
use domain::ports::storage::StorageError;
use domain::ports::tokens::KnownToken;
use domain::scope::Scopes;
use domain::text::Label;
use domain::token::{ApiToken, RevokeReason, TokenHash};

row! {
    struct TokenRow(api_tokens) {
        account_id: AccountId,
        id: TokenId,
        name: Label ["token name"],
        scopes: Scopes,
        last_four: String,
        created_by: UserId,
        created_at: DateTime<Utc>,
        expires_at: Option<DateTime<Utc>>,
        last_used_at: Option<DateTime<Utc>>,
        revoked_at: Option<DateTime<Utc>>,
        revoke_reason: Option<RevokeReason> ["revoke reason"],
        rotated_from: Option<TokenId>,
    }
    ApiToken {
        account: account_id, id, name, scopes, last_four, created_by, created_at, expires_at, last_used_at, revoked_at,
        revoke_reason, rotated_from,
    }
}

#[derive(Insertable)]
#[diesel(table_name = token_directory)]
pub struct TokenEntry {
    hash: Vec<u8>,
    account_id: i64,
    token_id: i64,
}

pub type KnownTokenRow = (TokenRow, AccountRow);

impl TokenEntry {
    pub fn new(token: &ApiToken, hash: TokenHash) -> Self {
        Self {
            hash: hash.0.to_vec(),
            account_id: token.account.0,
            token_id: token.id.0,
        }
    }
}

pub fn known_token((token, account): KnownTokenRow) -> Result<KnownToken, StorageError> {
    Ok(KnownToken {
        token: token.try_into()?,
        account: account.try_into()?,
    })
}
