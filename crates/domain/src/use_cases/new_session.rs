//! A session begins, in the transaction of whatever lets it begin.

use crate::{
    account::Account,
    ids::{AccountId, IdMint, SessionId, UserId},
    ports::{
        randomness::Randomness,
        storage::{StorageError, Transaction},
    },
    session::{PlainSession, Session},
    throttle::AddressPrefix,
    user::User,
};
use chrono::{DateTime, Utc};

/// Where a session is used, as far as its owner can recognise it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The network.
    pub network: AddressPrefix,
    /// What the browser calls itself.
    pub browser: Option<String>,
}

/// Somebody who just gave their password. The secret is in this one answer only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// What the browser is to send from now on.
    pub secret: PlainSession,
    /// What is kept of it.
    pub session: Session,
    /// Who it is.
    pub user: User,
    /// Their account.
    pub account: Account,
}

/// Adds a session under a new id. What is over of the person's sessions is forgotten, and the one
/// that was used longest ago ends when there are too many.
pub(super) async fn begin(
    work: &mut dyn Transaction,
    (randomness, mint): (&dyn Randomness, &IdMint),
    (account, user): (AccountId, UserId),
    place: &Place,
    now: DateTime<Utc>,
) -> Result<(PlainSession, Session), StorageError> {
    let secret = PlainSession::generate(randomness);
    let session = Session {
        account,
        id: SessionId::mint(mint),
        user,
        created_at: now,
        last_seen_at: now,
        browser: place.browser.as_deref().map(shortened),
        network: place.network.to_string(),
    };
    let known = work.sessions().list(account, user).await?;
    let (alive, over): (Vec<Session>, Vec<Session>) =
        known.into_iter().partition(|it| it.accept(now).is_ok());
    let surplus = alive.iter().skip(Session::MOST_PER_USER - 1);
    let ended: Vec<SessionId> = over.iter().chain(surplus).map(|it| it.id).collect();
    work.sessions().end(account, user, &ended).await?;
    work.sessions().add(&session, secret.hash()).await?;
    Ok((secret, session))
}

/// What a browser says of itself is anybody's text: what cannot be shown is left out.
fn shortened(browser: &str) -> String {
    let shown = browser.chars().filter(|it| !crate::text::is_unseen(*it));
    shown.take(Session::MOST_BROWSER).collect()
}

/// How a session is told in the audit log.
pub(super) fn told(session: &Session) -> String {
    format!("session {} from {}", session.id, session.network)
}
