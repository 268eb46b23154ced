//! Data of the server, idempotency records, the audit log and the event log.

use super::state::{State, add, remove, remove_oldest};
use super::{Session, Stored};
use crate::audit::{AuditEvent, AuditFilter};
use crate::event::{EventFilter, EventOrder, LoggedEvent, NewEvent};
use crate::idempotency::IdempotencyRecord;
use crate::ids::AccountId;
use crate::ports::audit::AuditRepository;
use crate::ports::events::EventRepository;
use crate::ports::host_throttle::HostThrottleRepository;
use crate::ports::idempotency::IdempotencyRepository;
use crate::ports::secrets::SecretRepository;
use crate::ports::server_notes::{MAX_NOTES, ServerNote, ServerNoteRepository, Topic};
use crate::sealed_secret::{SealedSecret, WrappedKey};
use analysis::document::Document;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::cmp::Reverse;

#[async_trait]
impl ServerNoteRepository for Session {
    async fn put(&mut self, note: &ServerNote) -> Stored<()> {
        self.change(|state| {
            state
                .server_notes
                .insert(note.topic.to_string(), note.clone());
            Ok(())
        })
    }

    async fn remove(&mut self, topic: &Topic) -> Stored<()> {
        self.change(|state| {
            state.server_notes.remove(&topic.to_string());
            Ok(())
        })
    }

    async fn all(&mut self) -> Stored<Vec<ServerNote>> {
        self.query(|state| {
            let notes = state.server_notes.values().take(MAX_NOTES as usize);
            notes.cloned().collect()
        })
    }
}

/// Nothing is stored, so nothing is purged.
#[async_trait]
impl HostThrottleRepository for Session {
    async fn purge_before(&mut self, _: DateTime<Utc>, _: u32) -> Stored<u64> {
        self.change(|_| Ok(0))
    }
}

#[async_trait]
impl SecretRepository for Session {
    async fn find_or_add(&mut self, name: &str, fresh: [u8; 32]) -> Stored<[u8; 32]> {
        self.change(|state| Ok(*state.secrets.entry(name.to_owned()).or_insert(fresh)))
    }

    async fn find(&mut self, name: &str) -> Stored<Option<[u8; 32]>> {
        self.query(|state| state.secrets.get(name).copied())
    }

    async fn remove(&mut self, name: &str) -> Stored<()> {
        self.change(|state| {
            state.secrets.remove(name);
            Ok(())
        })
    }

    async fn server_keys(&mut self) -> Stored<Vec<WrappedKey>> {
        self.query(|state| state.server_keys.values().rev().cloned().collect())
    }

    async fn add_server_key(&mut self, key: &WrappedKey) -> Stored<bool> {
        self.change(|state| {
            let is_new = !state.server_keys.contains_key(&key.version);
            state.server_keys.entry(key.version).or_insert(key.clone());
            Ok(is_new)
        })
    }

    async fn rewrap_server_key(&mut self, key: &WrappedKey) -> Stored<()> {
        self.change(|state| {
            if let Some(kept) = state.server_keys.get_mut(&key.version) {
                (kept.wrapped_by, kept.wrapped) = (key.wrapped_by, key.wrapped.clone());
            }
            Ok(())
        })
    }

    async fn sealed(&mut self, purpose: &str) -> Stored<Vec<SealedSecret>> {
        self.query(|state| {
            let of_purpose = state.sealed.values().filter(|it| it.purpose == purpose);
            of_purpose.rev().cloned().collect()
        })
    }

    async fn add_sealed(&mut self, secret: &SealedSecret) -> Stored<bool> {
        let key = (secret.purpose.clone(), secret.number);
        self.change(|state| {
            let is_new = !state.sealed.contains_key(&key);
            state.sealed.entry(key).or_insert(secret.clone());
            Ok(is_new)
        })
    }

    async fn remove_sealed(&mut self, purpose: &str, up_to: u32) -> Stored<()> {
        self.change(|state| {
            state
                .sealed
                .retain(|(of, number), _| of != purpose || *number > up_to);
            Ok(())
        })
    }
}

#[async_trait]
impl IdempotencyRepository for Session {
    async fn find(&mut self, account: AccountId, key: &str) -> Stored<Option<IdempotencyRecord>> {
        let key = (account, key.to_owned());
        self.query(|state| state.idempotency.get(&key).cloned())
    }

    async fn store(&mut self, record: &IdempotencyRecord, over: DateTime<Utc>) -> Stored<bool> {
        let key = (record.account, record.key.clone());
        self.change(|state| {
            let stands = state.idempotency.get(&key);
            let is_kept = stands.is_none_or(|it| it.first_used_at <= over);
            if is_kept {
                state.idempotency.insert(key, record.clone());
            }
            Ok(is_kept)
        })
    }

    async fn purge_before(&mut self, account: AccountId, time: DateTime<Utc>) -> Stored<u64> {
        self.change(|state| {
            let is_over =
                |_: &_, it: &IdempotencyRecord| it.account == account && it.first_used_at < time;
            Ok(remove(&mut state.idempotency, u32::MAX, is_over))
        })
    }
}

impl State {
    /// The account's events, newest first.
    pub fn audit_of(&self, account: AccountId) -> Vec<AuditEvent> {
        let own = self.audit.values().filter(|it| it.account == account);
        let mut own: Vec<AuditEvent> = own.cloned().collect();
        own.sort_by_key(|it| Reverse((it.at, it.id)));
        own
    }
}

#[async_trait]
impl AuditRepository for Session {
    async fn record(&mut self, event: &AuditEvent) -> Stored<()> {
        self.record_all(std::slice::from_ref(event)).await
    }

    async fn record_all(&mut self, events: &[AuditEvent]) -> Stored<()> {
        if events.is_empty() {
            return Ok(());
        }
        self.change(|state| {
            let mut added = events.iter().map(|it| (it.account, it.id, it));
            added.try_for_each(|(account, id, it)| add(&mut state.audit, (account, id), it.clone()))
        })
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &AuditFilter,
        limit: u32,
    ) -> Stored<Vec<AuditEvent>> {
        self.query(|state| {
            let events = state.audit_of(account).into_iter();
            let wanted = events.filter(|it| filter.matches(it));
            wanted.take(limit as usize).collect()
        })
    }

    async fn cutoff_for_newest(
        &mut self,
        account: AccountId,
        kept: u32,
    ) -> Stored<Option<DateTime<Utc>>> {
        self.query(|state| Some(state.audit_of(account).get(kept as usize)?.at))
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let is_over = |_: &_, it: &AuditEvent| it.account == account && it.at < before;
            let age = |it: &AuditEvent| it.at;
            Ok(remove_oldest(&mut state.audit, limit, is_over, age))
        })
    }
}

#[async_trait]
impl EventRepository for Session {
    async fn append(&mut self, account: AccountId, events: &[NewEvent]) -> Stored<()> {
        if events.is_empty() {
            return Ok(());
        }
        self.change(|state| {
            for entry in events {
                let head = state.event_heads.entry(account).or_default();
                *head += 1;
                let seq = *head;
                let mut own = state
                    .events
                    .range((account, i64::MIN)..=(account, i64::MAX));
                if own.all(|(_, it)| it.entry.dedupe_key != entry.dedupe_key) {
                    let entry = entry.clone();
                    let event = LoggedEvent {
                        account,
                        seq,
                        entry,
                    };
                    state.events.insert((account, seq), event);
                }
            }
            Ok(())
        })
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &EventFilter,
        limit: u32,
    ) -> Stored<Vec<LoggedEvent>> {
        self.query(|state| {
            let mut own: Vec<LoggedEvent> = { state.events.values() }
                .filter(|it| it.account == account && filter.matches(it))
                .cloned()
                .collect();
            if matches!(filter.order, EventOrder::NewestFirst { .. }) {
                own.reverse();
            }
            own.truncate(limit as usize);
            own
        })
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let is_over =
                |_: &_, it: &LoggedEvent| it.account == account && it.entry.event.at < before;
            let age = |it: &LoggedEvent| it.entry.event.at;
            Ok(remove_oldest(&mut state.events, limit, is_over, age))
        })
    }
}

impl State {
    pub fn event_bytes(&self, account: AccountId) -> u64 {
        let own = self.events.values().filter(|it| it.account == account);
        own.map(|it| Document::of(&it.entry.event).as_str().len() as u64)
            .sum()
    }
}
