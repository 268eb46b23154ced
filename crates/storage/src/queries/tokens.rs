use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::accounts::AccountRow;
use crate::rows::tokens::{TokenEntry, TokenRow, known_token};
use crate::schema::{accounts, api_tokens, token_directory};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, update};
use domain::ids::{AccountId, TokenId};
use domain::ports::storage::StorageError;
use domain::ports::tokens::{KnownToken, TokenRepository};
use domain::token::{ApiToken, RevokeReason, TokenHash};

#[async_trait]
impl TokenRepository for Session {
    async fn add(&mut self, token: &ApiToken, hash: TokenHash) -> Result<(), StorageError> {
        let (row, entry) = (TokenRow::from(token), TokenEntry::new(token, hash));
        self.change(token.account, move |db| {
            insert_into(api_tokens::table).values(&row).execute(db)?;
            insert_into(token_directory::table)
                .values(&entry)
                .execute(db)?;
            Ok(())
        })
        .await
    }

    async fn find_by_hash(&mut self, hash: TokenHash) -> Result<Option<KnownToken>, StorageError> {
        self.fetch_optional(TenantScope::System, known_token, move |db| {
            let of_the_entry = api_tokens::account_id
                .eq(token_directory::account_id)
                .and(api_tokens::id.eq(token_directory::token_id));
            let of_the_account = accounts::account_id.eq(token_directory::account_id);
            token_directory::table
                .inner_join(api_tokens::table.on(of_the_entry))
                .inner_join(accounts::table.on(of_the_account))
                .filter(token_directory::hash.eq(hash.0.as_slice()))
                .select((TokenRow::as_select(), AccountRow::as_select()))
                .first(db)
                .optional()
        })
        .await
    }

    async fn list(&mut self, account: AccountId) -> Result<Vec<ApiToken>, StorageError> {
        self.fetch_all(account, ApiToken::try_from, move |db| {
            rows_of!(api_tokens, account)
                .order((api_tokens::created_at.desc(), api_tokens::id.desc()))
                .select(TokenRow::as_select())
                .load(db)
        })
        .await
    }

    async fn revoke(
        &mut self,
        account: AccountId,
        token: TokenId,
        at: DateTime<Utc>,
        reason: RevokeReason,
    ) -> Result<bool, StorageError> {
        self.change(account, move |db| {
            let ends_later = api_tokens::revoked_at.gt(At(at));
            let unrevoked = rows_of!(api_tokens, account)
                .filter(api_tokens::id.eq(token.0))
                .filter(api_tokens::revoked_at.is_null().or(ends_later));
            let end = (
                api_tokens::revoked_at.eq(At(at)),
                api_tokens::revoke_reason.eq(reason.name()),
            );
            let ended = update(unrevoked).set(end).execute(db)?;
            Ok(ended == 1)
        })
        .await
    }

    async fn revoke_all(
        &mut self,
        account: AccountId,
        at: DateTime<Utc>,
        reason: RevokeReason,
    ) -> Result<Vec<TokenId>, StorageError> {
        let ended: Vec<i64> = self
            .change(account, move |db| {
                let is_revoked_later = api_tokens::revoked_at.gt(At(at));
                let expires_later = api_tokens::expires_at.gt(At(at));
                let working = rows_of!(api_tokens, account)
                    .filter(api_tokens::revoked_at.is_null().or(is_revoked_later))
                    .filter(api_tokens::expires_at.is_null().or(expires_later));
                let end = (
                    api_tokens::revoked_at.eq(At(at)),
                    api_tokens::revoke_reason.eq(reason.name()),
                );
                update(working)
                    .set(end)
                    .returning(api_tokens::id)
                    .get_results(db)
            })
            .await?;
        Ok(ended.into_iter().map(TokenId).collect())
    }

    async fn note_use(
        &mut self,
        account: AccountId,
        token: TokenId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        self.change(account, move |db| {
            // Updates may arrive out of order; the newest use wins.
            let is_older = api_tokens::last_used_at.lt(At(at));
            let older = rows_of!(api_tokens, account)
                .filter(api_tokens::id.eq(token.0))
                .filter(api_tokens::last_used_at.is_null().or(is_older));
            update(older)
                .set(api_tokens::last_used_at.eq(At(at)))
                .execute(db)
                .map(drop)
        })
        .await
    }
}
