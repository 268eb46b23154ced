use super::{Db, locked};
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::accounts::AccountRow;
use crate::rows::members::UserRow;
use crate::rows::sessions::{SessionEntry, SessionRow, known_session};
use crate::schema::{accounts, session_directory, sessions, users};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use domain::ids::{AccountId, SessionId, UserId};
use domain::ports::sessions::{KnownSession, SessionRepository};
use domain::ports::storage::StorageError;
use domain::rights::Role;
use domain::session::{Session as SignedInSession, SessionHash};

#[async_trait]
impl SessionRepository for Session {
    async fn add(
        &mut self,
        session: &SignedInSession,
        hash: SessionHash,
        role: Role,
    ) -> Result<(), StorageError> {
        let is_of_owner_at_home = session.works_in == session.home && role == Role::Owner;
        let hash = if is_of_owner_at_home {
            hash
        } else {
            hash.of_member()
        };
        let (row, entry) = (SessionRow::from(session), SessionEntry::new(session, hash));
        self.change(session.home, move |db| {
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
        let hashes = [hash, hash.of_member()];
        self.fetch_optional(TenantScope::System, known_session, move |db| {
            let mut session = stored_session(db, hashes[0])?;
            if session.is_none() {
                session = stored_session(db, hashes[1])?;
            }
            let Some(session) = session else {
                return Ok(None);
            };
            let works_in = session.in_account_id.unwrap_or(session.account_id);
            let member: Option<(UserRow, AccountRow)> = users::table
                .inner_join(accounts::table.on(accounts::account_id.eq(users::account_id)))
                .filter(users::account_id.eq(works_in))
                .filter(users::id.eq(session.user_id))
                .select((UserRow::as_select(), AccountRow::as_select()))
                .first(db)
                .optional()?;
            Ok(member.map(|(user, account)| (session, user, account)))
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
        self.change(TenantScope::System, move |db| {
            let entries = rows_of!(session_directory, account);
            delete(entries).execute(db)?;
            let at_home = delete(rows_of!(sessions, account)).execute(db)?;
            let visiting = sessions::table.filter(sessions::in_account_id.eq(account.0));
            let visiting: Vec<(i64, i64)> = { visiting }
                .select((sessions::account_id, sessions::id))
                .load(db)?;
            for (home, session) in &visiting {
                // Few: those of members with another home account.
                delete_sessions(db, AccountId(*home), &[*session])?;
            }
            Ok((at_home + visiting.len()) as u64)
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

fn stored_session(db: &mut Db, hash: SessionHash) -> QueryResult<Option<SessionRow>> {
    let of_the_entry = sessions::account_id
        .eq(session_directory::account_id)
        .and(sessions::id.eq(session_directory::session_id));
    session_directory::table
        .inner_join(sessions::table.on(of_the_entry))
        .filter(session_directory::hash.eq(hash.0.as_slice()))
        .select(SessionRow::as_select())
        .first(db)
        .optional()
}

/// Deletes sessions and their directory entries; at most some twenty a user.
fn delete_sessions(db: &mut Db, account: AccountId, ended: &[i64]) -> QueryResult<u64> {
    let entries =
        rows_of!(session_directory, account).filter(session_directory::session_id.eq_any(ended));
    delete(entries).execute(db)?;
    let rows = rows_of!(sessions, account).filter(sessions::id.eq_any(ended));
    Ok(delete(rows).execute(db)? as u64)
}
