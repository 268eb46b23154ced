use crate::{
    account::{Account, AccountStatus},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, Transaction},
    },
    session::{PlainSession, Session, SessionOver},
    user::User,
};
use std::sync::Arc;
use thiserror::Error;

pub struct AuthenticateSession {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub account: Account,
    pub user: User,
    pub session: Session,
    /// Whether this use is worth noting, which is done off the request's path.
    pub use_is_news: bool,
}

#[derive(Debug, Error)]
pub enum NotSignedIn {
    /// Unknown, ended, or of an account that was switched off.
    #[error("the session is not known")]
    Unknown,
    /// Known, but over; it may be put away.
    #[error("{why}")]
    Over {
        session: Box<Session>,
        why: SessionOver,
    },
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// For what must not outlive the session: `true` while nobody ended it; locked until the transaction ends.
pub(super) async fn still_signed_in(
    work: &mut dyn Transaction,
    member: &Member,
) -> Result<bool, StorageError> {
    let sessions = work.sessions();
    sessions.lock(member.account.id, member.session.id).await
}

impl AuthenticateSession {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// What has not the form of a session is refused without asking the storage.
    pub async fn run(&self, text: &str) -> Result<Member, NotSignedIn> {
        let plain = PlainSession::parse(text).map_err(|_| NotSignedIn::Unknown)?;
        let mut read = self.storage.read().await?;
        let known = read.sessions().find_by_hash(plain.hash()).await?;
        let known = known.filter(|it| it.account.status == AccountStatus::Active);
        let known = known.ok_or(NotSignedIn::Unknown)?;
        let now = self.clock.now();
        if let Err(why) = known.session.accept(now) {
            let session = Box::new(known.session);
            return Err(NotSignedIn::Over { session, why });
        }
        Ok(Member {
            use_is_news: known.session.use_is_news(now),
            account: known.account,
            user: known.user,
            session: known.session,
        })
    }
}
