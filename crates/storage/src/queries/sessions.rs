use super::{Db, locked};
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::accounts::{AccountRow, UserRow};
use crate::rows::sessions::{SessionEntry, SessionRow, known_session};
use crate::schema::{accounts, session_directory, sessions, users};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use domain::ids::{AccountId, SessionId, UserId};
use domain::ports::sessions::{KnownSession, SessionRepository};
use domain::ports::storage::StorageError;
use domain::session::{Session as SignedInSession, SessionHash};

#[async_trait]
impl SessionRepository for Session {
    async fn add(
        &mut self,
        session: &SignedInSession,
        hash: SessionHash,
    ) -> Result<(), StorageError> {
        let (row, entry) = (SessionRow::from(session), SessionEntry::new(session, hash));
        self.change(session.account, move |db| {
            insert_into(sessions::table).values(&row).execute(db)?;
            insert_into(session_directory::table)
                .values(&entry)
                .execute(db)?;
            Ok(())
        })
        .await
    }

    async fn find_by_hash(
        &mut self,
        hash: SessionHash,
    ) -> Result<Option<KnownSession>, StorageError> {
        self.fetch_optional(TenantScope::System, known_session, move |db| {
            let of_the_entry = sessions::account_id
                .eq(session_directory::account_id)
                .and(sessions::id.eq(session_directory::session_id));
            let of_the_session = users::account_id
                .eq(sessions::account_id)
                .and(users::id.eq(sessions::user_id));
            let of_the_account = accounts::account_id.eq(session_directory::account_id);
            session_directory::table
                .inner_join(sessions::table.on(of_the_entry))
                .inner_join(users::table.on(of_the_session))
                .inner_join(accounts::table.on(of_the_account))
                .filter(session_directory::hash.eq(hash.0.as_slice()))
                .select((
                    SessionRow::as_select(),
                    UserRow::as_select(),
                    AccountRow::as_select(),
                ))
                .first(db)
                .optional()
        })
        .await
    }

    async fn lock(&mut self, account: AccountId, session: SessionId) -> Result<bool, StorageError> {
        let found: Option<i64> = self
            .change(account, move |db| {
                let query = rows_of!(sessions, account)
                    .filter(sessions::id.eq(session.0))
                    .select(sessions::id);
                locked(query).get_result(db).optional()
            })
            .await?;
        Ok(found.is_some())
    }

    async fn list(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Vec<SignedInSession>, StorageError> {
        self.fetch_all(account, SignedInSession::try_from, move |db| {
            rows_of!(sessions, account)
                .filter(sessions::user_id.eq(user.0))
                .order((sessions::last_seen_at.desc(), sessions::id.desc()))
                .select(SessionRow::as_select())
                .load(db)
        })
        .await
    }

    async fn end(
        &mut self,
        account: AccountId,
        user: UserId,
        ended: &[SessionId],
    ) -> Result<u64, StorageError> {
        if ended.is_empty() {
            return Ok(0);
        }
        let ids: Vec<i64> = ended.iter().map(|it| it.0).collect();
        self.change(account, move |db| {
            // Only the user's own: directory entries of others must stay.
            let own: Vec<i64> = rows_of!(sessions, account)
                .filter(sessions::user_id.eq(user.0))
                .filter(sessions::id.eq_any(&ids))
                .select(sessions::id)
                .load(db)?;
            delete_sessions(db, account, &own)
        })
        .await
    }

    async fn end_all(
        &mut self,
        account: AccountId,
        user: UserId,
        but: Option<SessionId>,
    ) -> Result<u64, StorageError> {
        self.change(account, move |db| {
            let own: Vec<i64> = rows_of!(sessions, account)
                .filter(sessions::user_id.eq(user.0))
                .filter(sessions::id.ne(but.map_or(0, |it| it.0)))
                .select(sessions::id)
                .load(db)?;
            delete_sessions(db, account, &own)
        })
        .await
    }

    async fn end_all_of_account(&mut self, account: AccountId) -> Result<u64, StorageError> {
        self.change(account, move |db| {
            let entries = rows_of!(session_directory, account);
            delete(entries).execute(db)?;
            let all = rows_of!(sessions, account);
            Ok(delete(all).execute(db)? as u64)
        })
        .await
    }

    async fn note_use(
        &mut self,
        account: AccountId,
        session: SessionId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        self.change(account, move |db| {
            // Updates may arrive out of order; the newest use wins.
            let older = rows_of!(sessions, account)
                .filter(sessions::id.eq(session.0))
                .filter(sessions::last_seen_at.lt(At(at)));
            update(older)
                .set(sessions::last_seen_at.eq(At(at)))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn purge_expired(
        &mut self,
        account: AccountId,
        begun: DateTime<Utc>,
        used: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        self.change(account, move |db| {
            let is_over =
                { sessions::created_at.le(At(begun)) }.or(sessions::last_seen_at.le(At(used)));
            let over: Vec<i64> = rows_of!(sessions, account)
                .filter(is_over)
                .select(sessions::id)
                .load(db)?;
            delete_sessions(db, account, &over)
        })
        .await
    }
}

/// Deletes sessions and their directory entries; at most some twenty a user.
fn delete_sessions(db: &mut Db, account: AccountId, ended: &[i64]) -> QueryResult<u64> {
    let entries =
        rows_of!(session_directory, account).filter(session_directory::session_id.eq_any(ended));
    delete(entries).execute(db)?;
    let rows = rows_of!(sessions, account).filter(sessions::id.eq_any(ended));
    Ok(delete(rows).execute(db)? as u64)
}
