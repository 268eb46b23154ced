use crate::ids::{AccountId, SessionId, UserId};
use crate::secret_text::plain_secret;
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use thiserror::Error;

plain_secret! {
    /// What a browser sends: 43 base-62 characters (256 random bits). Never stored. Texts from browsers are only looked
    /// up, never adopted, which prevents session fixation.
    PlainSession
    /// SHA-256 of the whole secret, which is all that is stored.
    SessionHash
    NotASession "not a session of this service"
}

impl SessionHash {
    /// The hash under which a session is stored that is not one of an owner in the home account. Version 0.1, which
    /// takes every user for the owner of the home account, does not find it.
    #[must_use]
    pub fn of_member(self) -> Self {
        let mut digest = Sha256::new_with_prefix("sightline/member-session");
        digest.update(self.0);
        Self(digest.finalize().into())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Home account of its person, where it is stored.
    pub home: AccountId,
    /// The account that it works in.
    pub works_in: AccountId,
    /// Its owner ends it by this id, which grants no access.
    pub id: SessionId,
    pub user: UserId,
    /// Start of the session, when the password was entered.
    pub created_at: DateTime<Utc>,
    /// Last use, to the minute.
    pub last_seen_at: DateTime<Utc>,
    /// User agent, truncated; `None` if the browser sent none.
    pub browser: Option<String>,
    /// Network of the client ([`AddressPrefix`](crate::throttle::AddressPrefix)).
    pub network: String,
    /// The device ([`DeviceCookie::label`](crate::device::DeviceCookie::label)); `None` for sessions
    /// that an earlier version began.
    pub device: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SessionExpired {
    #[error("the session was not used for too long")]
    Idle,
    #[error("the session is too old")]
    Old,
}

impl Session {
    /// Idle timeout. Longer than for a bank (OWASP: 15 to 30 minutes for low risk): users look at
    /// search data all day, and no payment data is stored.
    pub const IDLE: TimeDelta = TimeDelta::hours(12);
    pub const LIFETIME: TimeDelta = TimeDelta::days(14);
    /// How long after entering the password a user may change tokens, e-mail address and other sessions.
    pub const FRESH: TimeDelta = TimeDelta::minutes(10);
    /// Minimum interval between writes of the last use.
    pub const USE_WRITE_INTERVAL: TimeDelta = TimeDelta::seconds(60);
    /// Maximum sessions per user; a new one replaces the one last used longest ago.
    pub const MAX_PER_USER: usize = 20;
    /// Characters of the user agent that are stored.
    pub const MAX_BROWSER_CHARS: usize = 200;

    pub fn accept(&self, now: DateTime<Utc>) -> Result<(), SessionExpired> {
        if self.created_at + Self::LIFETIME <= now {
            return Err(SessionExpired::Old);
        }
        if self.last_seen_at + Self::IDLE <= now {
            return Err(SessionExpired::Idle);
        }
        Ok(())
    }

    /// End of the session if it is not used again.
    pub fn ends_at(&self) -> DateTime<Utc> {
        (self.last_seen_at + Self::IDLE).min(self.created_at + Self::LIFETIME)
    }

    pub fn fresh_until(&self) -> DateTime<Utc> {
        self.created_at + Self::FRESH
    }

    /// Entering the password again creates a new session, so one timestamp is enough.
    pub fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        now < self.fresh_until()
    }

    pub fn should_record_use(&self, now: DateTime<Utc>) -> bool {
        self.last_seen_at + Self::USE_WRITE_INTERVAL <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::Clock;
    use crate::test_support::{CountingRandomness, FrozenClock, a_session};

    #[test]
    fn a_session_secret_is_hidden_in_debug_output() {
        let plain = PlainSession::generate(&CountingRandomness::default());
        assert_eq!(PlainSession::parse(plain.reveal()), Ok(plain.clone()));
        assert_eq!(format!("{plain:?}"), "PlainSession(…)");
        for wrong in [
            "",
            "short",
            &"a".repeat(44),
            &format!("{}-", "a".repeat(42)),
        ] {
            assert_eq!(PlainSession::parse(wrong), Err(NotASession), "{wrong}");
        }
    }

    #[test]
    fn a_session_ends_exactly_at_its_limit() {
        let now = FrozenClock::default().now();
        let tick = TimeDelta::microseconds(1);
        let session = a_session();
        assert_eq!(session.accept(now + Session::IDLE - tick), Ok(()));
        assert_eq!(
            session.accept(now + Session::IDLE),
            Err(SessionExpired::Idle)
        );
        let used = Session {
            last_seen_at: now + Session::LIFETIME - tick,
            ..session.clone()
        };
        assert_eq!(used.accept(now + Session::LIFETIME - tick), Ok(()));
        assert_eq!(
            used.accept(now + Session::LIFETIME),
            Err(SessionExpired::Old)
        );
        assert_eq!(used.ends_at(), now + Session::LIFETIME);
        assert!(session.is_fresh(now + Session::FRESH - tick));
        assert!(!session.is_fresh(now + Session::FRESH));
        assert!(session.should_record_use(now + Session::USE_WRITE_INTERVAL));
        assert!(!session.should_record_use(now + Session::USE_WRITE_INTERVAL - tick));
    }
}
