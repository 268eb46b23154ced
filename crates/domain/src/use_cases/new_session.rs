//! A session begins, in the transaction of whatever lets it begin.

use crate::{
    account::Account,
    audit::{Actor, AuditAction, AuditEvent, ON_DEVICE},
    device::DeviceMark,
    ids::{IdMint, SessionId},
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
    pub network: AddressPrefix,
    pub browser: Option<String>,
    pub device: Option<DeviceMark>,
}

/// Somebody who just gave their password. The secret is in this one answer only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub secret: PlainSession,
    pub session: Session,
    pub mark: DeviceMark,
    pub user: User,
    pub account: Account,
}

/// Adds a session under a new id. What is over of the person's sessions is put away, and the one
/// that was used longest ago ends when there are too many.
pub(super) async fn begin(
    work: &mut dyn Transaction,
    (randomness, mint): (&dyn Randomness, &IdMint),
    (account, user): (&Account, &User),
    place: &Place,
    now: DateTime<Utc>,
) -> Result<SignedIn, StorageError> {
    let secret = PlainSession::generate(randomness);
    let own = place.device.as_ref().filter(|it| it.user() == user.id);
    let mark = own.map_or_else(
        || DeviceMark::new(user, now, randomness),
        |it| it.renewed(now),
    );
    let session = Session {
        account: account.id,
        id: SessionId::mint(mint),
        user: user.id,
        created_at: now,
        last_seen_at: now,
        browser: place.browser.as_deref().map(shortened),
        network: place.network.to_string(),
        device: Some(mark.label()),
    };
    let known = work.sessions().list(account.id, user.id).await?;
    let (alive, over): (Vec<Session>, Vec<Session>) =
        known.into_iter().partition(|it| it.accept(now).is_ok());
    let surplus = alive.get(Session::MOST_PER_USER - 1..).unwrap_or_default();
    put_away(work, mint, &over, Cause::Over, now).await?;
    put_away(work, mint, surplus, Cause::TooMany, now).await?;
    work.sessions().add(&session, secret.hash()).await?;
    Ok(SignedIn {
        secret,
        session,
        mark,
        user: user.clone(),
        account: account.clone(),
    })
}

/// Why sessions end that nobody asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Over,
    TooMany,
    /// Somebody signs in anew in the same browser, who need not be the same person.
    SignedInAnew,
}

/// Ends sessions of one person, and writes down why.
pub(super) async fn put_away(
    work: &mut dyn Transaction,
    mint: &IdMint,
    ended: &[Session],
    cause: Cause,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let Some(Session { account, user, .. }) = ended.first() else {
        return Ok(());
    };
    let ids: Vec<SessionId> = ended.iter().map(|it| it.id).collect();
    if work.sessions().end(*account, *user, &ids).await? == 0 {
        return Ok(());
    }
    let (action, why) = match cause {
        Cause::Over => (AuditAction::SessionExpired, ""),
        Cause::TooMany => (
            AuditAction::SessionEnded,
            ", unused for longest of more than there may be",
        ),
        Cause::SignedInAnew => (
            AuditAction::SessionEnded,
            ", as somebody signed in anew in its browser",
        ),
    };
    let told: Vec<String> = ended.iter().map(told).collect();
    let event = AuditEvent {
        detail: format!("{}{why}", told.join(", ")),
        ..AuditEvent::new(mint, *account, now, Actor::Service, action)
    };
    work.audit().record(&event).await
}

/// What a browser says of itself is anybody's text: what cannot be shown is left out.
fn shortened(browser: &str) -> String {
    let shown = browser.chars().filter(|it| !crate::text::is_unseen(*it));
    shown.take(Session::MOST_BROWSER).collect()
}

/// How a session is told in the audit log.
pub(super) fn told(session: &Session) -> String {
    let told = format!("session {} from {}", session.id, session.network);
    match &session.device {
        Some(device) => format!("{told}{ON_DEVICE}{device}"),
        None => told,
    }
}
