use super::accounts::AccountRow;
use super::members::UserRow;
use super::stored::row;
use crate::schema::{session_directory, sessions};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::ids::{AccountId, SessionId, UserId};
use domain::ports::sessions::KnownSession;
use domain::ports::storage::StorageError;
use domain::session::{Session, SessionHash};

row! {
    struct SessionRow(sessions) {
        account_id: i64 = home.0,
        id: SessionId,
        user_id: UserId,
        created_at: DateTime<Utc>,
        last_seen_at: DateTime<Utc>,
        browser: Option<String>,
        network: String,
        device: Option<String>,
        in_account_id: Option<i64> = (works_in != home).then_some(works_in.0),
    }
    Session { home, works_in, id, user: user_id, created_at, last_seen_at, browser, network, device }
    where {
        home = AccountId(account_id);
        works_in = in_account_id.map_or(home, AccountId);
    }
}

#[derive(Insertable)]
#[diesel(table_name = session_directory)]
pub struct SessionEntry {
    hash: Vec<u8>,
    account_id: i64,
    session_id: i64,
}

pub type KnownSessionRow = (SessionRow, UserRow, AccountRow);

impl SessionEntry {
    pub fn new(session: &Session, hash: SessionHash) -> Self {
        Self {
            hash: hash.0.to_vec(),
            account_id: session.home.0,
            session_id: session.id.0,
        }
    }
}

pub fn known_session(
    (session, user, account): KnownSessionRow,
) -> Result<KnownSession, StorageError> {
    Ok(KnownSession {
        session: session.try_into()?,
        user: user.try_into()?,
        account: account.try_into()?,
    })
}
