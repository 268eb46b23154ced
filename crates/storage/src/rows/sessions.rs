use super::accounts::{AccountRow, UserRow};
use crate::{
    instant::At,
    schema::{session_directory, sessions},
};
use diesel::prelude::*;
use domain::{
    ids::{AccountId, SessionId, UserId},
    ports::{sessions::KnownSession, storage::StorageError},
    session::{Session, SessionHash},
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
pub struct SessionRow {
    account_id: i64,
    id: i64,
    user_id: i64,
    created_at: At,
    last_seen_at: At,
    browser: Option<String>,
    network: String,
    device: Option<String>,
}

#[derive(Insertable)]
#[diesel(table_name = session_directory)]
pub struct SessionEntry {
    hash: Vec<u8>,
    account_id: i64,
    session_id: i64,
}

pub type KnownSessionRow = (SessionRow, UserRow, AccountRow);

impl From<&Session> for SessionRow {
    fn from(session: &Session) -> Self {
        Self {
            account_id: session.account.0,
            id: session.id.0,
            user_id: session.user.0,
            created_at: session.created_at.into(),
            last_seen_at: session.last_seen_at.into(),
            browser: session.browser.clone(),
            network: session.network.clone(),
            device: session.device.clone(),
        }
    }
}

impl SessionEntry {
    pub fn new(session: &Session, hash: SessionHash) -> Self {
        Self {
            hash: hash.0.to_vec(),
            account_id: session.account.0,
            session_id: session.id.0,
        }
    }
}

impl From<SessionRow> for Session {
    fn from(row: SessionRow) -> Self {
        Self {
            account: AccountId(row.account_id),
            id: SessionId(row.id),
            user: UserId(row.user_id),
            created_at: row.created_at.into(),
            last_seen_at: row.last_seen_at.into(),
            browser: row.browser,
            network: row.network,
            device: row.device,
        }
    }
}

pub fn known_session(
    (session, user, account): KnownSessionRow,
) -> Result<KnownSession, StorageError> {
    Ok(KnownSession {
        session: session.into(),
        user: user.try_into()?,
        account: account.try_into()?,
    })
}
