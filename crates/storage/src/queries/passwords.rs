use super::{Db, locked};
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::accounts::AccountRow;
use crate::rows::members::UserRow;
use crate::schema::{accounts, user_directory, user_passwords, users};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{insert_into, prelude::*, update};
use domain::email::EmailAddress;
use domain::ids::{AccountId, UserId};
use domain::password::{HashCost, PasswordHash};
use domain::ports::passwords::{Credentials, PasswordRepository};
use domain::ports::storage::StorageError;
use domain::user::User;

#[async_trait]
impl PasswordRepository for Session {
    async fn credentials(
        &mut self,
        email: &EmailAddress,
    ) -> Result<Option<Credentials>, StorageError> {
        let email = email.to_string();
        let found: Option<(UserRow, AccountRow, Option<String>)> = self
            .fetch(TenantScope::System, move |db| {
                let of_the_entry = users::account_id
                    .eq(user_directory::account_id)
                    .and(users::id.eq(user_directory::user_id));
                let of_the_account = accounts::account_id.eq(user_directory::account_id);
                let of_the_user = user_passwords::account_id
                    .eq(user_directory::account_id)
                    .and(user_passwords::user_id.eq(user_directory::user_id));
                user_directory::table
                    .inner_join(users::table.on(of_the_entry))
                    .inner_join(accounts::table.on(of_the_account))
                    .left_join(user_passwords::table.on(of_the_user))
                    .filter(user_directory::email.eq(&email))
                    .select((
                        UserRow::as_select(),
                        AccountRow::as_select(),
                        user_passwords::hash.nullable(),
                    ))
                    .first(db)
                    .optional()
            })
            .await?;
        let credentials = |(user, account, hash): (UserRow, AccountRow, Option<String>)| {
            Ok(Credentials {
                account: account.try_into()?,
                user: user.try_into()?,
                password: hash.map(read_hash),
            })
        };
        found.map(credentials).transpose()
    }

    async fn devices_valid_from(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Option<DateTime<Utc>>, StorageError> {
        let found: Option<(At, Option<At>)> = self
            .fetch(account, move |db| {
                rows_of!(user_passwords, account)
                    .filter(user_passwords::user_id.eq(user.0))
                    .select((user_passwords::changed_at, user_passwords::devices_from))
                    .first(db)
                    .optional()
            })
            .await?;
        let later = |(changed, from): (At, Option<At>)| {
            let changed = DateTime::from(changed);
            from.map_or(changed, |it| changed.max(it.into()))
        };
        Ok(found.map(later))
    }

    async fn revoke_devices(
        &mut self,
        account: AccountId,
        user: UserId,
        before: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        self.change(account, move |db| {
            let own = rows_of!(user_passwords, account).filter(user_passwords::user_id.eq(user.0));
            update(own)
                .set(user_passwords::devices_from.eq(At(before)))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn costs(&mut self, limit: u32) -> Result<Vec<HashCost>, StorageError> {
        let hashes: Vec<String> = self
            .fetch(TenantScope::System, move |db| {
                user_passwords::table
                    .order((user_passwords::account_id, user_passwords::user_id))
                    .limit(i64::from(limit))
                    .select(user_passwords::hash)
                    .load(db)
            })
            .await?;
        let cost = |hash| HashCost::of(&read_hash(hash));
        Ok(hashes.into_iter().filter_map(cost).collect())
    }

    async fn lock(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Option<PasswordHash>, StorageError> {
        let found: Option<String> = self
            .change(account, move |db| {
                let query = rows_of!(user_passwords, account)
                    .filter(user_passwords::user_id.eq(user.0))
                    .select(user_passwords::hash);
                locked(query).get_result(db).optional()
            })
            .await?;
        Ok(found.map(read_hash))
    }

    async fn set(
        &mut self,
        user: &User,
        hash: &PasswordHash,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let hash = stored_hash(hash, user.is_present_owner());
        let (account, user) = (user.account, user.id);
        self.change(account, move |db| {
            let set = (
                user_passwords::hash.eq(&hash),
                user_passwords::changed_at.eq(At(at)),
            );
            insert_into(user_passwords::table)
                .values((
                    user_passwords::account_id.eq(account.0),
                    user_passwords::user_id.eq(user.0),
                    set,
                ))
                .on_conflict((user_passwords::account_id, user_passwords::user_id))
                .do_update()
                .set(set)
                .execute(db)
                .map(drop)
        })
        .await
    }
}

/// Begins the hash of a person who is not a present owner of the home account. Version 0.1, which takes every user for its
/// owner, cannot compare such a hash and refuses the password.
const OF_MEMBER: &str = "member:";

fn stored_hash(hash: &PasswordHash, is_present_owner: bool) -> String {
    if is_present_owner {
        hash.0.clone()
    } else {
        format!("{OF_MEMBER}{}", hash.0)
    }
}

fn read_hash(stored: String) -> PasswordHash {
    PasswordHash(match stored.strip_prefix(OF_MEMBER) {
        Some(hash) => hash.to_owned(),
        None => stored,
    })
}

/// Stores the password, if there is one, as belongs to the member of the home account.
pub fn store_for_member(db: &mut Db, member: &User) -> QueryResult<()> {
    let (account, user) = (member.account.0, member.id.0);
    let own = || {
        user_passwords::table
            .filter(user_passwords::account_id.eq(account))
            .filter(user_passwords::user_id.eq(user))
    };
    let stored: Option<String> = { own().select(user_passwords::hash) }
        .first(db)
        .optional()?;
    let Some(stored) = stored else {
        return Ok(());
    };
    let wanted = stored_hash(&read_hash(stored.clone()), member.is_present_owner());
    if wanted == stored {
        return Ok(());
    }
    update(own())
        .set(user_passwords::hash.eq(wanted))
        .execute(db)
        .map(drop)
}
