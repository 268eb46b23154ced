//! Sessions of users, and guess counters.

use super::state::{add, remove};
use super::{Session, Stored};
use crate::ids::{AccountId, SessionId, UserId};
use crate::ports::sessions::{KnownSession, SessionRepository};
use crate::ports::throttles::ThrottleRepository;
use crate::rights::Role;
use crate::session::{Session as SignedInSession, SessionHash};
use crate::throttle::{Throttle, ThrottleKey};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::cmp::Reverse;

impl Session {
    fn end_where(&mut self, is_ended: impl Fn(&SignedInSession) -> bool) -> Stored<u64> {
        self.change(|state| {
            let ended = |_: &_, (it, _): &(SignedInSession, _)| is_ended(it);
            Ok(remove(&mut state.sessions, u32::MAX, ended))
        })
    }
}

#[async_trait]
impl SessionRepository for Session {
    async fn add(
        &mut self,
        session: &SignedInSession,
        hash: SessionHash,
        _role: Role,
    ) -> Stored<()> {
        let key = (session.home, session.id);
        self.change(|state| add(&mut state.sessions, key, (session.clone(), hash)))
    }

    async fn find_by_hash(&mut self, hash: SessionHash) -> Stored<Option<KnownSession>> {
        self.query(|state| {
            let (session, _) = state.sessions.values().find(|it| it.1 == hash)?;
            Some(KnownSession {
                session: session.clone(),
                user: state.users.get(&(session.works_in, session.user))?.clone(),
                account: state.accounts.get(&session.works_in)?.clone(),
            })
        })
    }

    async fn lock(&mut self, account: AccountId, session: SessionId) -> Stored<bool> {
        self.change(|state| Ok(state.sessions.contains_key(&(account, session))))
    }

    async fn list(&mut self, account: AccountId, user: UserId) -> Stored<Vec<SignedInSession>> {
        self.query(|state| {
            let sessions = state.sessions.values().map(|it| &it.0);
            let own = sessions.filter(|it| (it.home, it.user) == (account, user));
            let mut own: Vec<SignedInSession> = own.cloned().collect();
            own.sort_by_key(|it| Reverse((it.last_seen_at, it.id)));
            own
        })
    }

    async fn end(
        &mut self,
        account: AccountId,
        user: UserId,
        sessions: &[SessionId],
    ) -> Stored<u64> {
        if sessions.is_empty() {
            return Ok(0);
        }
        self.end_where(|it| (it.home, it.user) == (account, user) && sessions.contains(&it.id))
    }

    async fn end_all(
        &mut self,
        account: AccountId,
        user: UserId,
        but: Option<SessionId>,
    ) -> Stored<u64> {
        self.end_where(|it| (it.home, it.user) == (account, user) && Some(it.id) != but)
    }

    async fn end_all_of_account(&mut self, account: AccountId) -> Stored<u64> {
        self.end_where(|it| [it.home, it.works_in].contains(&account))
    }

    async fn note_use(
        &mut self,
        account: AccountId,
        session: SessionId,
        at: DateTime<Utc>,
    ) -> Stored<()> {
        self.change(|state| {
            if let Some((session, _)) = state.sessions.get_mut(&(account, session)) {
                session.last_seen_at = session.last_seen_at.max(at);
            }
            Ok(())
        })
    }

    async fn purge_expired(
        &mut self,
        account: AccountId,
        begun: DateTime<Utc>,
        used: DateTime<Utc>,
    ) -> Stored<u64> {
        self.end_where(|it| {
            it.home == account && (it.created_at <= begun || it.last_seen_at <= used)
        })
    }
}

#[async_trait]
impl ThrottleRepository for Session {
    async fn lock(&mut self, key: ThrottleKey, now: DateTime<Utc>) -> Stored<Throttle> {
        let begun = Throttle {
            guesses: 0,
            last_at: now,
        };
        self.change(|state| Ok(*state.throttles.entry(key.0).or_insert(begun)))
    }

    async fn save(&mut self, key: ThrottleKey, throttle: Throttle) -> Stored<()> {
        self.change(|state| {
            if let Some(known) = state.throttles.get_mut(&key.0) {
                *known = throttle;
            }
            Ok(())
        })
    }

    async fn reset(&mut self, key: ThrottleKey) -> Stored<()> {
        self.change(|state| {
            state.throttles.remove(&key.0);
            Ok(())
        })
    }

    async fn purge_before(&mut self, time: DateTime<Utc>, limit: u32) -> Stored<u64> {
        self.change(|state| {
            Ok(remove(&mut state.throttles, limit, |_, it| {
                it.last_at < time
            }))
        })
    }
}
