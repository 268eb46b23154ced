//! Recurring work: schedules, and fetches of Search Console.

use super::{Session, Stored};
use crate::ids::{AccountId, ProjectId};
use crate::job::kind::AnalysisKind;
use crate::ports::console_bindings::ConsoleBindingRepository;
use crate::ports::schedules::ScheduleRepository;
use crate::schedule::Schedule;
use crate::search_console::Binding;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Accounts by their earliest due row.
pub(super) fn accounts_due(
    rows: impl Iterator<Item = (AccountId, DateTime<Utc>)>,
    now: DateTime<Utc>,
    limit: u32,
) -> Vec<AccountId> {
    let mut earliest: BTreeMap<AccountId, DateTime<Utc>> = BTreeMap::new();
    for (account, at) in rows.filter(|(_, at)| *at <= now) {
        let known = earliest.entry(account).or_insert(at);
        *known = at.min(*known);
    }
    let mut due: Vec<_> = earliest
        .into_iter()
        .map(|(account, at)| (at, account))
        .collect();
    due.sort_unstable();
    let due = due.into_iter().map(|(_, account)| account);
    due.take(limit as usize).collect()
}

/// Due rows, earliest first.
pub(super) fn rows_due<'a, Row: Clone + 'a>(
    rows: impl Iterator<Item = &'a Row>,
    next_at: impl Fn(&Row) -> DateTime<Utc>,
    now: DateTime<Utc>,
    limit: u32,
) -> Vec<Row> {
    let mut due: Vec<Row> = rows.filter(|it| next_at(it) <= now).cloned().collect();
    due.sort_by_key(next_at);
    due.truncate(limit as usize);
    due
}

/// Replaces the row if it equals `before`; returns whether it did.
fn replaced<T: PartialEq + Clone>(row: Option<&mut T>, before: &T, after: &T) -> bool {
    let Some(row) = row.filter(|it| *it == before) else {
        return false;
    };
    row.clone_from(after);
    true
}

#[async_trait]
impl ScheduleRepository for Session {
    async fn set(&mut self, schedule: &Schedule) -> Stored<()> {
        let key = (schedule.account, schedule.project, schedule.kind.name());
        self.change(|state| {
            state.schedules.insert(key, schedule.clone());
            Ok(())
        })
    }

    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
    ) -> Stored<bool> {
        let key = (account, project, kind.name());
        self.change(|state| Ok(state.schedules.remove(&key).is_some()))
    }

    async fn list(&mut self, account: AccountId) -> Stored<Vec<Schedule>> {
        self.query(|state| {
            let own = state.schedules.values().filter(|it| it.account == account);
            own.cloned().collect()
        })
    }

    async fn accounts_due(&mut self, now: DateTime<Utc>, limit: u32) -> Stored<Vec<AccountId>> {
        self.query(|state| {
            let rows = state.schedules.values().map(|it| (it.account, it.next_at));
            accounts_due(rows, now, limit)
        })
    }

    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Stored<Vec<Schedule>> {
        self.query(|state| {
            let own = state.schedules.values().filter(|it| it.account == account);
            rows_due(own, |it| it.next_at, now, limit)
        })
    }

    async fn advance(&mut self, before: &Schedule, after: &Schedule) -> Stored<bool> {
        let key = (before.account, before.project, before.kind.name());
        self.change(|state| Ok(replaced(state.schedules.get_mut(&key), before, after)))
    }
}

#[async_trait]
impl ConsoleBindingRepository for Session {
    async fn set(&mut self, binding: &Binding) -> Stored<()> {
        let key = (binding.account, binding.project);
        self.change(|state| {
            state.bindings.insert(key, binding.clone());
            Ok(())
        })
    }

    async fn remove(&mut self, account: AccountId, project: ProjectId) -> Stored<bool> {
        self.change(|state| Ok(state.bindings.remove(&(account, project)).is_some()))
    }

    async fn find(&mut self, account: AccountId, project: ProjectId) -> Stored<Option<Binding>> {
        self.query(|state| state.bindings.get(&(account, project)).cloned())
    }

    async fn accounts_due(&mut self, now: DateTime<Utc>, limit: u32) -> Stored<Vec<AccountId>> {
        self.query(|state| {
            let rows = state.bindings.values().map(|it| (it.account, it.next_at));
            accounts_due(rows, now, limit)
        })
    }

    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Stored<Vec<Binding>> {
        self.query(|state| {
            let own = state.bindings.values().filter(|it| it.account == account);
            rows_due(own, |it| it.next_at, now, limit)
        })
    }

    async fn advance(&mut self, before: &Binding, after: &Binding) -> Stored<bool> {
        let key = (before.account, before.project);
        self.change(|state| Ok(replaced(state.bindings.get_mut(&key), before, after)))
    }
}
