//! Reads what happened to an account since the last sign-in on the same device.

use super::Core;
use crate::audit::{Actor, AuditAction, AuditEvent, AuditFilter, PersonFilter};
use crate::ports::storage::StorageError;
use crate::rights::{Right, Role};
use crate::session::Session;
use chrono::{DateTime, TimeDelta, Utc};

/// Maximum events read of each kind: as many as two days of guessing an e-mail address from unknown devices.
const MAX_EVENTS: u32 = 300;
/// Maximum networks listed for failures.
const MAX_NETWORKS: usize = 10;
/// Maximum period, if there was no sign-in on the device within it.
const MAX_LOOKBACK: TimeDelta = TimeDelta::days(30);
const CHANGES: [AuditAction; 6] = [
    AuditAction::AccountChanged,
    AuditAction::PasswordChanged,
    AuditAction::TokenCreated,
    AuditAction::TokenRotated,
    AuditAction::TokenRevoked,
    AuditAction::TokenLeaked,
];

/// Events since the previous sign-in on the same device. Sign-ins on other devices do not count, or
/// an attacker with the password could hide their changes by signing in again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SinceSignIn {
    /// The previous sign-in on the same device, or 30 days ago.
    pub since: DateTime<Utc>,
    /// The previous sign-in on any device; `None` if it was before `since`.
    pub last_at: Option<DateTime<Utc>>,
    pub last_from: Option<String>,
    pub failed: u64,
    pub last_failed_at: Option<DateTime<Utc>>,
    /// Their networks, newest first, at most ten.
    pub failed_from: Vec<String>,
    /// Sign-ins on other devices by network, newest first.
    pub elsewhere: Vec<SignIns>,
    /// Changes of password, tokens, names and e-mail address, newest first.
    pub changes: Vec<CredentialChange>,
    /// `false` if there were more events of a kind than are read.
    pub is_complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIns {
    pub from: String,
    pub count: u64,
    pub last_at: DateTime<Utc>,
}

/// Equal changes of password or tokens, grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialChange {
    pub action: AuditAction,
    pub actor: Actor,
    pub count: u64,
    pub last_at: DateTime<Utc>,
}

/// Events before a session, newest of each kind first.
struct Past {
    begun: Vec<AuditEvent>,
    refused: Vec<AuditEvent>,
    changes: Vec<AuditEvent>,
}

impl SinceSignIn {
    pub fn is_worth_showing(&self) -> bool {
        self.failed > 0 || !self.changes.is_empty() || !self.elsewhere.is_empty()
    }

    /// Summarizes events before that session, newest first; `None` if there was no earlier sign-in.
    fn of(past: &Past, session: &Session) -> Option<Self> {
        let newest = past.begun.first()?;
        let furthest = session.created_at - MAX_LOOKBACK;
        let is_here = |it: &&AuditEvent| {
            it.at > furthest && it.device().is_some() && it.device() == session.device.as_deref()
        };
        let here = past.begun.iter().find(is_here);
        let since = here.map_or(furthest, |it| it.at);
        let last = (newest.at >= since).then_some(newest);
        let mut summary = Self {
            since,
            last_at: last.map(|it| it.at),
            last_from: last.and_then(|it| it.network().map(str::to_owned)),
            is_complete: true,
            ..Self::default()
        };
        for events in [&past.begun, &past.refused, &past.changes] {
            let is_cut = events.len() >= MAX_EVENTS as usize;
            summary.is_complete &= !(is_cut && events.last().is_some_and(|it| it.at > since));
            for event in events.iter().take_while(|it| it.at > since) {
                match event.action {
                    AuditAction::SessionBegun => summary.note_sign_in(event),
                    AuditAction::SessionRefused => summary.note_failure(event),
                    _ => summary.note_change(event),
                }
            }
        }
        Some(summary)
    }

    fn note_sign_in(&mut self, event: &AuditEvent) {
        let from = event.network().unwrap_or_default();
        match self.elsewhere.iter_mut().find(|it| it.from == from) {
            Some(known) => known.count += 1,
            None => self.elsewhere.push(SignIns {
                from: from.to_owned(),
                count: 1,
                last_at: event.at,
            }),
        }
    }

    fn note_failure(&mut self, event: &AuditEvent) {
        self.failed += 1;
        self.last_failed_at = self.last_failed_at.or(Some(event.at));
        if let Some(network) = event.network().map(str::to_owned)
            && self.failed_from.len() < MAX_NETWORKS
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

impl Core {
    /// Events of the home account before that session began; `None` if it is the person's first. Changes by others are
    /// for roles that read the audit log.
    pub async fn since_sign_in(
        &self,
        session: &Session,
        role: Role,
    ) -> Result<Option<SinceSignIn>, StorageError> {
        let (home, began) = (session.home, session.created_at);
        let is_at_home = session.works_in == home;
        // Events of version 0.1 name no person; its only users were owners.
        let own = Some(if is_at_home && role == Role::Owner {
            PersonFilter::OrNone(session.user)
        } else {
            PersonFilter::Only(session.user)
        });
        let mut read = self.storage.read().await?;
        let mut newest = async |actions: &[AuditAction], person: Option<PersonFilter>| {
            let filter = AuditFilter {
                actions: actions.to_vec(),
                person,
                before: Some(began),
                ..AuditFilter::default()
            };
            read.audit().list(home, &filter, MAX_EVENTS).await
        };
        let reads_log = is_at_home && role.holds(Right::AuditRead);
        let of_changes = own.filter(|_| !reads_log);
        // Read separately, so that many events of one kind do not displace another.
        let past = Past {
            begun: newest(&[AuditAction::SessionBegun], own).await?,
            refused: newest(&[AuditAction::SessionRefused], own).await?,
            changes: newest(&CHANGES, of_changes).await?,
        };
        Ok(SinceSignIn::of(&past, session))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{AccountId, AuditEventId};
    use crate::ports::clock::Clock;
    use crate::test_support::{FrozenClock, a_session};
    use chrono::TimeDelta;

    fn event(age: i64, action: AuditAction, detail: &str) -> AuditEvent {
        AuditEvent {
            account: AccountId(1),
            id: AuditEventId(1),
            at: FrozenClock::default().now() - TimeDelta::minutes(age),
            actor: Actor::Owner,
            person: None,
            action,
            token: None,
            detail: detail.into(),
        }
    }

    fn failure(age: i64, network: &str) -> AuditEvent {
        event(age, AuditAction::SessionRefused, &format!("from {network}"))
    }

    fn begun(age: i64, device: &str) -> AuditEvent {
        let detail = format!("session 7 from 192.0.2.0/24{device}");
        event(age, AuditAction::SessionBegun, &detail)
    }

    fn of(events: &[AuditEvent]) -> Option<SinceSignIn> {
        let only = |is_wanted: fn(AuditAction) -> bool| {
            { events.iter() }
                .filter(|it| is_wanted(it.action))
                .take(MAX_EVENTS as usize)
                .cloned()
                .collect()
        };
        let past = Past {
            begun: only(|it| it == AuditAction::SessionBegun),
            refused: only(|it| it == AuditAction::SessionRefused),
            changes: only(|it| CHANGES.contains(&it)),
        };
        SinceSignIn::of(&past, &a_session())
    }

    fn since_sign_in(events: &[AuditEvent]) -> SinceSignIn {
        of(events).unwrap()
    }

    const HERE: &str = " on device 0a1b2c3d";
    const ELSEWHERE: &str = " on device 4e5f6a7b";

    #[test]
    fn events_before_the_last_sign_in_on_the_device_are_omitted() {
        let events = [
            failure(1, "198.51.100.0/24"),
            failure(2, "203.0.113.0/24"),
            failure(3, "198.51.100.0/24"),
            begun(4, HERE),
            failure(5, "2001:db8::/64"),
        ];
        let since = since_sign_in(&events);
        assert_eq!((since.failed, since.is_complete), (3, true));
        assert_eq!(since.failed_from, ["198.51.100.0/24", "203.0.113.0/24"]);
        assert_eq!(since.last_failed_at, Some(events[0].at));
        assert_eq!(since.last_from.as_deref(), Some("192.0.2.0/24"));
        assert_eq!((since.since, since.elsewhere), (events[3].at, vec![]));
        assert!(!since_sign_in(&[begun(1, HERE)]).is_worth_showing());
        assert_eq!(of(&[failure(1, "")]), None);
    }

    #[test]
    fn sign_ins_on_other_devices_hide_nothing() {
        let month = 30 * 24 * 60;
        let events = [
            begun(1, ELSEWHERE),
            event(2, AuditAction::TokenCreated, "ci"),
            begun(3, ""),
            begun(4, HERE),
        ];
        let since = since_sign_in(&events);
        assert_eq!(
            (since.last_at, since.since),
            (Some(events[0].at), events[3].at)
        );
        assert_eq!(since.changes.len(), 1);
        assert_eq!(
            since.elsewhere,
            [SignIns {
                from: "192.0.2.0/24".into(),
                count: 2,
                last_at: events[0].at,
            }]
        );
        let old = [begun(month - 1, ELSEWHERE), begun(month, HERE)];
        let since = since_sign_in(&old);
        let furthest = a_session().created_at - MAX_LOOKBACK;
        assert_eq!((since.since, since.elsewhere.len()), (furthest, 1));
    }

    #[test]
    fn more_events_than_are_read_are_marked_incomplete() {
        let mut many: Vec<AuditEvent> = (1..=i64::from(MAX_EVENTS))
            .map(|it| failure(it, &format!("10.{}.0.0/24", it % 200)))
            .collect();
        many.push(begun(400, HERE));
        let since = since_sign_in(&many);
        assert_eq!((since.failed, since.is_complete), (300, false));
        assert_eq!(since.failed_from.len(), MAX_NETWORKS);
        // Many events of one kind do not displace another.
        let mut many: Vec<AuditEvent> = (1..=310).map(|it| begun(it, ELSEWHERE)).collect();
        many.push(event(400, AuditAction::TokenCreated, "ci"));
        let since = since_sign_in(&many);
        assert_eq!((since.changes.len(), since.is_complete), (1, false));
        assert_eq!(since.elsewhere[0].count, 300);
    }
}
