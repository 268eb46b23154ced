//! Reads what happened to an account between a sign-in and the one before it.

use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ports::storage::{Storage, StorageError},
    session::Session,
};
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// Events that are read at the most: as many failures as two days of guessing at an e-mail address
/// from unknown devices make.
const MOST: u32 = 300;
/// Networks that are named at the most.
const NETWORKS: usize = 10;
/// What is told of, and the sign-in at which it begins.
const ACTIONS: [AuditAction; 7] = [
    AuditAction::SessionBegun,
    AuditAction::SessionRefused,
    AuditAction::PasswordChanged,
    AuditAction::TokenCreated,
    AuditAction::TokenRotated,
    AuditAction::TokenRevoked,
    AuditAction::TokenLeaked,
];

/// Reads it.
pub struct ReadSinceSignIn {
    storage: Arc<dyn Storage>,
}

/// What happened since the sign-in before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SinceSignIn {
    /// When somebody signed in before; `None` when that is further back than is read.
    pub last_at: Option<DateTime<Utc>>,
    /// From which network.
    pub last_from: Option<String>,
    /// How many attempts to sign in failed.
    pub failed: u64,
    /// When the last of them did.
    pub last_failed_at: Option<DateTime<Utc>>,
    /// The networks that they came from, the newest first, ten at the most.
    pub failed_from: Vec<String>,
    /// Changes of the password and of tokens, the newest first.
    pub changes: Vec<CredentialChange>,
    /// Whether that is all; otherwise there were more events than are read.
    pub is_complete: bool,
}

/// What somebody did to the password or the tokens, together with what is alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialChange {
    /// What.
    pub action: AuditAction,
    /// Who.
    pub actor: Actor,
    /// How often.
    pub count: u64,
    /// When for the last time.
    pub last_at: DateTime<Utc>,
}

impl SinceSignIn {
    /// Whether there is anything that an owner should know of.
    #[must_use]
    pub fn is_worth_telling(&self) -> bool {
        self.failed > 0 || !self.changes.is_empty()
    }

    /// Events, newest first, up to the sign-in before; `None` when there was none.
    fn of(events: &[AuditEvent]) -> Option<Self> {
        let mut since = Self::default();
        for event in events {
            match event.action {
                AuditAction::SessionBegun => {
                    since.last_at = Some(event.at);
                    since.last_from = event.network().map(str::to_owned);
                    since.is_complete = true;
                    return Some(since);
                }
                AuditAction::SessionRefused => since.note_failure(event),
                _ => since.note_change(event),
            }
        }
        (events.len() >= MOST as usize).then_some(since)
    }

    fn note_failure(&mut self, event: &AuditEvent) {
        self.failed += 1;
        self.last_failed_at = self.last_failed_at.or(Some(event.at));
        if let Some(network) = event.network().map(str::to_owned)
            && self.failed_from.len() < NETWORKS
            && !self.failed_from.contains(&network)
        {
            self.failed_from.push(network);
        }
    }

    fn note_change(&mut self, event: &AuditEvent) {
        let (action, actor) = (event.action, event.actor);
        let mut known = self.changes.iter_mut();
        match known.find(|it| (it.action, it.actor) == (action, actor)) {
            Some(change) => change.count += 1,
            None => self.changes.push(CredentialChange {
                action,
                actor,
                count: 1,
                last_at: event.at,
            }),
        }
    }
}

impl ReadSinceSignIn {
    /// On this storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// What happened before that session began, back to the sign-in before it; `None` when there was
    /// none before.
    ///
    /// # Errors
    /// The storage fails.
    pub async fn run(&self, session: &Session) -> Result<Option<SinceSignIn>, StorageError> {
        let (account, began) = (session.account, session.created_at);
        let mut read = self.storage.read().await?;
        let events = read
            .audit()
            .newest_of(account, &ACTIONS, began, MOST)
            .await?;
        Ok(SinceSignIn::of(&events))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::{AccountId, AuditEventId},
        ports::clock::Clock,
        test_support::FrozenClock,
    };
    use chrono::TimeDelta;

    fn event(age: i64, action: AuditAction, detail: &str) -> AuditEvent {
        AuditEvent {
            account: AccountId(1),
            id: AuditEventId(1),
            at: FrozenClock::default().now() - TimeDelta::minutes(age),
            actor: Actor::Owner,
            action,
            token: None,
            detail: detail.into(),
        }
    }

    fn failure(age: i64, network: &str) -> AuditEvent {
        event(age, AuditAction::SessionRefused, &format!("from {network}"))
    }

    #[test]
    fn what_was_before_the_last_sign_in_is_not_told_again() {
        let begun = |age| {
            event(
                age,
                AuditAction::SessionBegun,
                "session 7 from 192.0.2.0/24",
            )
        };
        let events = [
            failure(1, "198.51.100.0/24"),
            failure(2, "203.0.113.0/24"),
            failure(3, "198.51.100.0/24"),
            begun(4),
            failure(5, "2001:db8::/64"),
        ];
        let since = SinceSignIn::of(&events).unwrap();
        assert_eq!((since.failed, since.is_complete), (3, true));
        assert_eq!(since.failed_from, ["198.51.100.0/24", "203.0.113.0/24"]);
        assert_eq!(since.last_failed_at, Some(events[0].at));
        assert_eq!(since.last_from.as_deref(), Some("192.0.2.0/24"));
        let quiet = SinceSignIn::of(&[begun(1)]).unwrap();
        assert!(!quiet.is_worth_telling());
    }

    #[test]
    fn more_events_than_are_read_are_told_as_incomplete() {
        let many: Vec<AuditEvent> = (0..i64::from(MOST))
            .map(|it| failure(it, &format!("10.{}.0.0/24", it % 200)))
            .collect();
        let since = SinceSignIn::of(&many).unwrap();
        assert_eq!((since.failed, since.is_complete), (300, false));
        assert_eq!((since.failed_from.len(), since.last_at), (NETWORKS, None));
    }
}
