//! Mail, suppressed addresses, and links that are opened without a session.

use super::due::{accounts_due, rows_due};
use super::state::add;
use super::{Session, Stored};
use crate::email::EmailAddress;
use crate::ids::{AccountId, DeliveryId, PersonLinkId, UserId};
use crate::link::{LinkHash, LinkKind, LinkTarget, PersonLink};
use crate::mail::{Delivery, Purpose, Suppression, SuppressionReason};
use crate::ports::links::LinkRepository;
use crate::ports::outbox::{DeliveryFilter, OutboxRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::cmp::Reverse;

#[async_trait]
impl OutboxRepository for Session {
    async fn add(&mut self, delivery: &Delivery) -> Stored<()> {
        let key = (delivery.account, delivery.id);
        self.change(|state| add(&mut state.deliveries, key, delivery.clone()))
    }

    async fn find(&mut self, account: AccountId, delivery: DeliveryId) -> Stored<Option<Delivery>> {
        self.query(|state| state.deliveries.get(&(account, delivery)).cloned())
    }

    async fn list(&mut self, account: AccountId, filter: &DeliveryFilter) -> Stored<Vec<Delivery>> {
        self.query(|state| {
            let key = |it: &Delivery| (it.created_at, it.id);
            let mut own: Vec<Delivery> = { state.deliveries.values() }
                .filter(|it| it.account == account)
                .filter(|it| filter.with_personal || it.person.is_none())
                .filter(|it| filter.behind.is_none_or(|behind| key(it) < behind))
                .cloned()
                .collect();
            own.sort_by_key(|it| Reverse(key(it)));
            own.truncate(filter.limit as usize);
            own
        })
    }

    async fn of_targets(&mut self, account: AccountId, targets: &[i64]) -> Stored<Vec<Delivery>> {
        self.query(|state| {
            let is_of = |it: &Delivery| it.link_target.is_some_and(|it| targets.contains(&it));
            let mut own: Vec<Delivery> = { state.deliveries.values() }
                .filter(|it| it.account == account && is_of(it))
                .cloned()
                .collect();
            own.sort_by_key(|it| (it.created_at, it.id));
            own
        })
    }

    async fn was_notified(
        &mut self,
        account: AccountId,
        person: UserId,
        purpose: Purpose,
        after: DateTime<Utc>,
    ) -> Stored<bool> {
        self.query(|state| {
            state.deliveries.values().any(|it| {
                (it.account, it.person) == (account, Some(person))
                    && it.message.purpose() == purpose
                    && it.created_at > after
            })
        })
    }

    async fn accounts_due(&mut self, now: DateTime<Utc>, limit: u32) -> Stored<Vec<AccountId>> {
        self.query(|state| {
            let waiting = state.deliveries.values();
            let waiting = waiting.filter_map(|it| Some((it.account, it.next_at?)));
            accounts_due(waiting, now, limit)
        })
    }

    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Stored<Vec<Delivery>> {
        self.query(|state| {
            let own = { state.deliveries.values() }
                .filter(|it| it.account == account && it.next_at.is_some());
            rows_due(own, |it| it.next_at.unwrap_or_default(), now, limit)
        })
    }

    async fn advance(&mut self, before: &Delivery, after: &Delivery) -> Stored<bool> {
        self.change(|state| {
            let fence = |it: &Delivery| (it.state, it.attempt, it.handed_over_at.is_some());
            let row = state.deliveries.get_mut(&(before.account, before.id));
            let Some(row) = row.filter(|it| fence(it) == fence(before)) else {
                return Ok(false);
            };
            row.clone_from(after);
            Ok(true)
        })
    }

    async fn handed_over_since(
        &mut self,
        account: AccountId,
        since: DateTime<Utc>,
        recipient: Option<EmailAddress>,
    ) -> Stored<u64> {
        self.query(|state| {
            let counts = |it: &&Delivery| {
                it.account == account
                    && it.handed_over_at.is_some_and(|at| at >= since)
                    && recipient.as_ref().is_none_or(|to| it.recipient == *to)
            };
            state.deliveries.values().filter(counts).count() as u64
        })
    }

    async fn purge_before(&mut self, account: AccountId, before: DateTime<Utc>) -> Stored<u64> {
        self.change(|state| {
            let count = state.deliveries.len();
            state.deliveries.retain(|_, it| {
                it.account != account || it.created_at >= before || !it.has_ended()
            });
            Ok((count - state.deliveries.len()) as u64)
        })
    }

    async fn suppressions(&mut self, account: AccountId) -> Stored<Vec<Suppression>> {
        self.query(|state| {
            let own = { state.suppressions.values() }.filter(|it| it.account == account);
            own.cloned().collect()
        })
    }

    async fn suppressions_of(
        &mut self,
        account: AccountId,
        recipient: &EmailAddress,
    ) -> Stored<Vec<SuppressionReason>> {
        self.query(|state| {
            let own = { state.suppressions.values() }
                .filter(|it| it.account == account && it.recipient == *recipient);
            own.map(|it| it.reason).collect()
        })
    }

    async fn suppress(&mut self, suppression: &Suppression) -> Stored<()> {
        let it = suppression;
        let key = (it.account, (it.recipient.clone(), it.reason.name()));
        self.change(|state| {
            { state.suppressions.entry(key) }.or_insert_with(|| suppression.clone());
            Ok(())
        })
    }

    async fn lift(
        &mut self,
        account: AccountId,
        recipient: &EmailAddress,
        reason: SuppressionReason,
    ) -> Stored<bool> {
        let key = (account, (recipient.clone(), reason.name()));
        self.change(|state| Ok(state.suppressions.remove(&key).is_some()))
    }
}

#[async_trait]
impl LinkRepository for Session {
    async fn set_hash(
        &mut self,
        target: LinkTarget,
        hash: LinkHash,
        _expires_at: DateTime<Utc>,
    ) -> Stored<()> {
        self.change(|state| {
            state.link_hashes.retain(|_, it| *it != target);
            state.link_hashes.insert(hash.0, target);
            Ok(())
        })
    }

    async fn find(&mut self, hash: LinkHash) -> Stored<Option<LinkTarget>> {
        self.query(|state| state.link_hashes.get(&hash.0).copied())
    }

    async fn add(&mut self, link: &PersonLink) -> Stored<()> {
        let key = (link.home, link.id);
        self.change(|state| add(&mut state.person_links, key, link.clone()))
    }

    async fn of_id(&mut self, home: AccountId, link: PersonLinkId) -> Stored<Option<PersonLink>> {
        self.query(|state| state.person_links.get(&(home, link)).cloned())
    }

    async fn lock(&mut self, home: AccountId, link: PersonLinkId) -> Stored<Option<PersonLink>> {
        self.change(|state| Ok(state.person_links.get(&(home, link)).cloned()))
    }

    async fn unused(&mut self, home: AccountId, person: UserId) -> Stored<Vec<PersonLink>> {
        self.query(|state| {
            let is_unused =
                |it: &&PersonLink| (it.home, it.person) == (home, person) && it.used_at.is_none();
            let own = state.person_links.values().filter(is_unused);
            let mut own: Vec<PersonLink> = own.cloned().collect();
            own.sort_by_key(|it| (it.created_at, it.id));
            own
        })
    }

    async fn end(
        &mut self,
        home: AccountId,
        person: UserId,
        kinds: &[LinkKind],
        at: DateTime<Utc>,
    ) -> Stored<()> {
        self.change(|state| {
            let own = { state.person_links.values_mut() }
                .filter(|it| (it.home, it.person) == (home, person) && kinds.contains(&it.kind));
            for link in own {
                link.used_at.get_or_insert(at);
            }
            Ok(())
        })
    }

    async fn purge_before(&mut self, home: AccountId, before: DateTime<Utc>) -> Stored<u64> {
        self.change(|state| {
            let is_over = |it: &PersonLink| it.home == home && it.expires_at < before;
            let over: Vec<i64> = { state.person_links.values() }
                .filter(|it| is_over(it))
                .map(|it| it.id.0)
                .collect();
            state.person_links.retain(|_, it| !is_over(it));
            state
                .link_hashes
                .retain(|_, it| it.account != home || !over.contains(&it.id));
            Ok(over.len() as u64)
        })
    }
}
