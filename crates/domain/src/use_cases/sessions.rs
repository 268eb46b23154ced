//! Sessions of users.

use super::Core;
use super::events::add_failed_sign_ins;
use super::outbox::may_notify;
use super::tokens::revoke_all_tokens;
use super::transaction_input::TransactionInput;
use crate::account::{Account, AccountStatus};
use crate::audit::{
    ActingPerson, Actor, AuditAction, AuditEvent, AuditFilter, ON_DEVICE, PersonFilter,
};
use crate::device::{DeviceCookie, DeviceNonce};
use crate::ids::{AccountId, ProjectId, SessionId, UserId};
use crate::mail::{Message, Purpose};
use crate::ports::sessions::KnownSession;
use crate::ports::storage::{StorageError, Transaction};
use crate::rights::Right;
use crate::session::{PlainSession, Session, SessionExpired};
use crate::throttle::AddressPrefix;
use crate::user::User;
use chrono::TimeDelta;
use std::collections::BTreeSet;
use thiserror::Error;

/// A signed-in person in the account that the session works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub account: Account,
    pub user: User,
    /// The projects that the member may see; `None` is all.
    pub granted_projects: Option<BTreeSet<ProjectId>>,
    pub session: Session,
    /// Whether to record this use, which is done off the request path.
    pub should_record_use: bool,
}

impl Member {
    pub fn holds(&self, right: Right) -> bool {
        self.user.role.holds(right)
    }

    pub fn may_see(&self, project: ProjectId) -> bool {
        self.granted_projects
            .as_ref()
            .is_none_or(|it| it.contains(&project))
    }
}

#[derive(Debug, Error)]
pub enum NotSignedIn {
    /// Unknown, ended, of a disabled account, or of a member who left.
    #[error("the session is not known")]
    Unknown,
    /// Expired; the caller may end it.
    #[error("{reason}")]
    Expired {
        session: Box<Session>,
        reason: SessionExpired,
    },
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Client of a session, as far as its owner can recognize it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    pub network: AddressPrefix,
    pub browser: Option<String>,
    pub device: Option<DeviceCookie>,
}

/// A user with a new session. Only this response contains the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub secret: PlainSession,
    pub session: Session,
    /// `None` if the device's cookie stays.
    pub device_cookie: Option<DeviceCookie>,
    /// As member of the account that the session works in.
    pub user: User,
    pub account: Account,
}

/// What a session is begun for: a person by the home account, and the membership in which it works.
#[derive(Clone, Copy)]
pub(super) struct Seat<'a> {
    pub home: AccountId,
    pub account: &'a Account,
    pub user: &'a User,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedAccess {
    pub sessions: u64,
    pub tokens: u64,
}

/// Secrets of a new session and, if needed, a new device.
pub(super) struct SessionSecrets {
    secret: PlainSession,
    nonce: DeviceNonce,
}

/// Why the service ends sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndCause {
    Expired,
    TooMany,
    /// A new sign-in in the same browser, maybe of another user.
    SignedInAnew,
}

impl Core {
    pub(super) fn input_with_secrets(&self) -> (TransactionInput, SessionSecrets) {
        let (given, randomness) = (self.transaction_input(), &*self.randomness);
        let secrets = SessionSecrets {
            secret: PlainSession::generate(randomness),
            nonce: DeviceNonce::generate(randomness),
        };
        (given, secrets)
    }

    /// Refuses malformed sessions without a query.
    pub async fn authenticate_session(&self, text: &str) -> Result<Member, NotSignedIn> {
        let plain = PlainSession::parse(text).map_err(|_| NotSignedIn::Unknown)?;
        let mut read = self.storage.read().await?;
        let known = read.sessions().find_by_hash(plain.hash()).await?;
        let is_member =
            |it: &KnownSession| it.account.status == AccountStatus::Active && !it.user.has_left();
        let known = known.filter(is_member).ok_or(NotSignedIn::Unknown)?;
        let now = self.clock.now();
        if let Err(reason) = known.session.accept(now) {
            let session = Box::new(known.session);
            return Err(NotSignedIn::Expired { session, reason });
        }
        let granted_projects = if known.user.role.is_limited_to_granted_projects() {
            let members = read.members();
            Some(
                members
                    .granted_projects(known.account.id, known.user.id)
                    .await?,
            )
        } else {
            None
        };
        Ok(Member {
            should_record_use: known.session.should_record_use(now),
            granted_projects,
            account: known.account,
            user: known.user,
            session: known.session,
        })
    }

    /// Called off the request path, if the use should be recorded.
    pub async fn note_session_use(
        &self,
        home: AccountId,
        session: SessionId,
    ) -> Result<(), StorageError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        work.sessions().note_use(home, session, now).await?;
        work.commit().await
    }

    /// Called off the request path, so that probing for addresses cannot measure the write.
    pub async fn note_failed_sign_in(
        &self,
        (account, person): (AccountId, UserId),
        from: AddressPrefix,
    ) -> Result<(), StorageError> {
        let note = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            // Of two failures at once the second sees the first.
            work.passwords().lock(account, person).await?;
            let attacked = work.members().find(account, person).await?;
            let acting = attacked.as_ref().map(|it| ActingPerson {
                id: it.id,
                name: it.name.clone(),
            });
            if let Some(attacked) = attacked {
                note_failures(work.as_mut(), &mut given, &attacked).await?;
            }
            let event = AuditEvent {
                detail: format!("from {from}"),
                person: acting,
                ..given.event(account, Actor::Stranger, AuditAction::SessionRefused)
            };
            work.audit().record(&event).await?;
            work.commit().await
        };
        self.transaction_with_ids(note).await
    }

    /// Whether the device cookie is valid: its account is active, and the user has neither changed
    /// the password nor signed out everywhere since it was issued. Two indexed reads.
    pub async fn recognize_device(&self, mark: &DeviceCookie) -> Result<bool, StorageError> {
        let mut read = self.storage.read().await?;
        let account = read.accounts().find(mark.account()).await?;
        if account.is_none_or(|it| it.status != AccountStatus::Active) {
            return Ok(false);
        }
        let from = { read.passwords() }
            .devices_valid_from(mark.account(), mark.user())
            .await?;
        Ok(from.is_some_and(|at| at <= mark.issued_at()))
    }

    /// Valid sessions, last used first.
    pub async fn sessions(&self, of: &Session) -> Result<Vec<Session>, StorageError> {
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let mut sessions = read.sessions().list(of.home, of.user).await?;
        sessions.retain(|it| it.accept(now).is_ok());
        Ok(sessions)
    }

    /// Ends a session of that member; `false` if the member has no such session.
    pub async fn end_session(
        &self,
        member: &Member,
        session: SessionId,
    ) -> Result<bool, StorageError> {
        let (home, user) = (member.session.home, &member.user);
        let end = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            if work.sessions().end(home, user.id, &[session]).await? == 0 {
                return Ok(false);
            }
            let event = AuditEvent {
                detail: format!("session {session}"),
                ..given.event(home, user, AuditAction::SessionEnded)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(true)
        };
        self.transaction_with_ids(end).await
    }

    pub async fn expire_session(&self, session: &Session) -> Result<(), StorageError> {
        let over = std::slice::from_ref(session);
        let expire = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            end_and_audit(work.as_mut(), over, EndCause::Expired, &mut given).await?;
            work.commit().await
        };
        self.transaction_with_ids(expire).await
    }

    /// All of them if `but` is `None`. Device cookies of the person are revoked too; `revokes_tokens` ends the tokens of
    /// the account that the session works in.
    pub async fn end_sessions(
        &self,
        member: &Member,
        but: Option<SessionId>,
        revokes_tokens: bool,
    ) -> Result<EndedAccess, StorageError> {
        let (home, user) = (member.session.home, &member.user);
        let end = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let sessions = work.sessions().end_all(home, user.id, but).await?;
            work.passwords()
                .revoke_devices(home, user.id, given.now)
                .await?;
            if sessions > 0 {
                let kept = but.map_or_else(String::new, |it| format!("; session {it} stays"));
                let event = AuditEvent {
                    detail: format!("{sessions} sessions{kept}"),
                    ..given.event(home, user, AuditAction::SessionsEnded)
                };
                work.audit().record(&event).await?;
            }
            let tokens = if revokes_tokens {
                let reason = "with all sessions";
                revoke_all_tokens(work.as_mut(), user.account, user, reason, &mut given).await?
            } else {
                0
            };
            work.commit().await?;
            Ok(EndedAccess { sessions, tokens })
        };
        self.transaction_with_ids(end).await
    }
}

/// Adds a session under a new id, in the caller's transaction. Ends expired sessions of the user
/// and, beyond the maximum, the one last used longest ago.
pub(super) async fn begin_session(
    work: &mut dyn Transaction,
    seat: Seat<'_>,
    client: &ClientInfo,
    given: &mut TransactionInput,
    secrets: SessionSecrets,
) -> Result<SignedIn, StorageError> {
    let now = given.now;
    let Seat {
        home,
        account,
        user,
    } = seat;
    let SessionSecrets { secret, nonce } = secrets;
    let own = { client.device.as_ref() }.filter(|it| (it.account(), it.user()) == (home, user.id));
    let mark = match own {
        Some(mark) => mark.renewed(now),
        None => DeviceCookie::new(home, user.id, now, nonce),
    };
    let session = Session {
        home,
        works_in: account.id,
        id: SessionId::take(&mut given.ids),
        user: user.id,
        created_at: now,
        last_seen_at: now,
        browser: client.browser.as_deref().map(shortened),
        network: client.network.to_string(),
        device: Some(mark.label()),
    };
    let known = work.sessions().list(home, user.id).await?;
    let (alive, over): (Vec<Session>, Vec<Session>) =
        known.into_iter().partition(|it| it.accept(now).is_ok());
    let surplus = alive.get(Session::MAX_PER_USER - 1..).unwrap_or_default();
    end_and_audit(work, &over, EndCause::Expired, given).await?;
    end_and_audit(work, surplus, EndCause::TooMany, given).await?;
    work.sessions()
        .add(&session, secret.hash(), user.role)
        .await?;
    Ok(SignedIn {
        secret,
        session,
        device_cookie: Some(mark),
        user: user.clone(),
        account: account.clone(),
    })
}

/// Continues a session in another account under a new id; `None` if it was ended. Its age stays, so that nothing needs a
/// newer password entry than before or lasts longer.
pub(super) async fn replace_session(
    work: &mut dyn Transaction,
    before: &Session,
    seat: Seat<'_>,
    given: &mut TransactionInput,
    secrets: SessionSecrets,
) -> Result<Option<SignedIn>, StorageError> {
    let Seat {
        home,
        account,
        user,
    } = seat;
    if work.sessions().end(home, user.id, &[before.id]).await? == 0 {
        return Ok(None);
    }
    let SessionSecrets { secret, .. } = secrets;
    let session = Session {
        works_in: account.id,
        id: SessionId::take(&mut given.ids),
        last_seen_at: given.now,
        ..before.clone()
    };
    work.sessions()
        .add(&session, secret.hash(), user.role)
        .await?;
    Ok(Some(SignedIn {
        secret,
        session,
        device_cookie: None,
        user: user.clone(),
        account: account.clone(),
    }))
}

/// Ends sessions of one user and writes the reason to the audit log.
pub(super) async fn end_and_audit(
    work: &mut dyn Transaction,
    ended: &[Session],
    cause: EndCause,
    given: &mut TransactionInput,
) -> Result<(), StorageError> {
    let Some(Session { home, user, .. }) = ended.first() else {
        return Ok(());
    };
    let ids: Vec<SessionId> = ended.iter().map(|it| it.id).collect();
    if work.sessions().end(*home, *user, &ids).await? == 0 {
        return Ok(());
    }
    let (action, reason) = match cause {
        EndCause::Expired => (AuditAction::SessionExpired, ""),
        EndCause::TooMany => (
            AuditAction::SessionEnded,
            ", least recently used above the limit",
        ),
        EndCause::SignedInAnew => (
            AuditAction::SessionEnded,
            ", replaced by a new sign-in in its browser",
        ),
    };
    let described: Vec<String> = ended.iter().map(describe_session).collect();
    let event = AuditEvent {
        detail: format!("{}{reason}", described.join(", ")),
        ..given.event(*home, Actor::Service, action)
    };
    work.audit().record(&event).await
}

/// For effects that must not outlive the session: `true` if it still exists; locks it until the transaction ends.
pub(super) async fn still_signed_in(
    work: &mut dyn Transaction,
    member: &Member,
) -> Result<bool, StorageError> {
    let sessions = work.sessions();
    sessions.lock(member.session.home, member.session.id).await
}

/// The user agent is untrusted text: drops characters that cannot be displayed.
fn shortened(browser: &str) -> String {
    let shown = browser.chars().filter(|it| !crate::text::is_invisible(*it));
    shown.take(Session::MAX_BROWSER_CHARS).collect()
}

/// The session as described in the audit log.
pub(super) fn describe_session(session: &Session) -> String {
    let described = format!("session {} from {}", session.id, session.network);
    match &session.device {
        Some(device) => format!("{described}{ON_DEVICE}{device}"),
        None => described,
    }
}

/// A message after as many failed sign-ins in an hour.
const FAILURES_IN_AN_HOUR: u32 = 10;

/// Adds an event with the failure that reaches the number, and queues a message, at most once in an hour.
async fn note_failures(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    attacked: &User,
) -> Result<(), StorageError> {
    let filter = AuditFilter {
        actions: vec![AuditAction::SessionRefused],
        person: Some(PersonFilter::Only(attacked.id)),
        since: Some(given.now - TimeDelta::hours(1)),
        ..AuditFilter::default()
    };
    let audit = work.audit();
    let earlier = audit.list(attacked.account, &filter, FAILURES_IN_AN_HOUR);
    let failures = earlier.await?.len() + 1;
    if failures != FAILURES_IN_AN_HOUR as usize {
        return Ok(());
    }
    add_failed_sign_ins(work, attacked, FAILURES_IN_AN_HOUR, given.now).await?;
    if !may_notify(work, given, attacked, Purpose::FailedSignIns).await? {
        return Ok(());
    }
    let message = Message::FailedSignIns {
        failures: FAILURES_IN_AN_HOUR,
        at: given.now,
    };
    let notice = given.personal_delivery(attacked, message);
    given.queue(work, notice).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ports::clock::Clock,
        test_support::{
            ACCOUNT, CountingRandomness, FakeStorage, FrozenClock, a_user, an_account, core,
        },
    };
    use chrono::TimeDelta;
    use std::sync::Arc;

    #[tokio::test]
    async fn a_device_cookie_ends_with_its_account_or_its_revocation() {
        let now = FrozenClock::default().now();
        let earlier = now - TimeDelta::microseconds(1);
        let disabled = Account {
            status: AccountStatus::Disabled,
            ..an_account()
        };
        for (account, from, expected) in [
            (Some(an_account()), Some(now), true),
            (Some(an_account()), Some(earlier), true),
            (
                Some(an_account()),
                Some(now + TimeDelta::microseconds(1)),
                false,
            ),
            (Some(an_account()), None, false),
            (Some(disabled), Some(now), false),
            (None, Some(now), false),
        ] {
            let storage = Arc::new(FakeStorage::default());
            storage.expect(move |read| {
                read.accounts.expect_find().return_once(|_| Ok(account));
                let passwords = read.passwords.expect_devices_valid_from();
                passwords.return_once(move |_, _| Ok(from));
            });
            let nonce = DeviceNonce::generate(&CountingRandomness::default());
            let mark = DeviceCookie::new(ACCOUNT, a_user().id, now, nonce);
            let recognized = core(storage).recognize_device(&mark).await.unwrap();
            assert_eq!(recognized, expected);
        }
    }
}
