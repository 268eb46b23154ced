use super::{accounts::AccountRow, known, passed};
use crate::{
    instant::At,
    schema::{api_tokens, token_directory},
};
use diesel::prelude::*;
use domain::{
    ids::{AccountId, TokenId, UserId},
    ports::{storage::StorageError, tokens::KnownToken},
    scope::Scopes,
    text::Label,
    token::{ApiToken, RevokeReason, TokenHash},
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = api_tokens, treat_none_as_default_value = false)]
pub struct TokenRow {
    account_id: i64,
    id: i64,
    name: String,
    scopes: String,
    last_four: String,
    created_by: i64,
    created_at: At,
    expires_at: Option<At>,
    last_used_at: Option<At>,
    revoked_at: Option<At>,
    revoke_reason: Option<String>,
    rotated_from: Option<i64>,
}

#[derive(Insertable)]
#[diesel(table_name = token_directory)]
pub struct TokenEntry {
    hash: Vec<u8>,
    account_id: i64,
    token_id: i64,
}

pub type KnownTokenRow = (TokenRow, AccountRow);

impl From<&ApiToken> for TokenRow {
    fn from(token: &ApiToken) -> Self {
        Self {
            account_id: token.account.0,
            id: token.id.0,
            name: token.name.to_string(),
            scopes: token.scopes.to_string(),
            last_four: token.last_four.clone(),
            created_by: token.created_by.0,
            created_at: token.created_at.into(),
            expires_at: token.expires_at.map(At),
            last_used_at: token.last_used_at.map(At),
            revoked_at: token.revoked_at.map(At),
            revoke_reason: token.revoke_reason.map(|it| it.name().to_owned()),
            rotated_from: token.rotated_from.map(|it| it.0),
        }
    }
}

impl TokenEntry {
    pub fn new(token: &ApiToken, hash: TokenHash) -> Self {
        Self {
            hash: hash.0.to_vec(),
            account_id: token.account.0,
            token_id: token.id.0,
        }
    }
}

impl TryFrom<TokenRow> for ApiToken {
    type Error = StorageError;

    fn try_from(row: TokenRow) -> Result<Self, StorageError> {
        Ok(Self {
            account: AccountId(row.account_id),
            id: TokenId(row.id),
            name: passed(Label::parse(&row.name), "token name")?,
            scopes: passed(Scopes::parse(&row.scopes), "scopes")?,
            last_four: row.last_four,
            created_by: UserId(row.created_by),
            created_at: row.created_at.into(),
            expires_at: row.expires_at.map(Into::into),
            last_used_at: row.last_used_at.map(Into::into),
            revoked_at: row.revoked_at.map(Into::into),
            revoke_reason: row
                .revoke_reason
                .map(|name| known(RevokeReason::named(&name), "revoke reason"))
                .transpose()?,
            rotated_from: row.rotated_from.map(TokenId),
        })
    }
}

pub fn known_token((token, account): KnownTokenRow) -> Result<KnownToken, StorageError> {
    Ok(KnownToken {
        token: token.try_into()?,
        account: account.try_into()?,
    })
}
