use super::Backend;
use crate::{executor::session::Session, instant::At, rows::audit::AuditRow, schema::audit_events};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*};
use domain::audit::{AuditEvent, AuditFilter, PersonFilter};
use domain::ids::AccountId;
use domain::ports::audit::AuditRepository;
use domain::ports::storage::StorageError;

type Query<'a> = audit_events::BoxedQuery<'a, Backend>;

fn filtered<'a>(account: AccountId, filter: &AuditFilter) -> Query<'a> {
    let mut query = audit_events::table.into_boxed();
    query = query.filter(audit_events::account_id.eq(account.0));
    if !filter.actions.is_empty() {
        let names: Vec<&'static str> = filter.actions.iter().map(|it| it.name()).collect();
        let is_exact = audit_events::exact_action.eq_any(names.clone());
        let is_known =
            { audit_events::exact_action.is_null() }.and(audit_events::action.eq_any(names));
        query = query.filter(is_exact.or(is_known).assume_not_null());
    }
    query = match filter.person {
        None => query,
        Some(PersonFilter::Only(person)) => query.filter(audit_events::actor_id.eq(person.0)),
        Some(PersonFilter::OrNone(person)) => {
            let is_own = audit_events::actor_id.eq(person.0).assume_not_null();
            query.filter(audit_events::actor_id.is_null().or(is_own))
        }
    };
    if let Some(since) = filter.since {
        query = query.filter(audit_events::at.ge(At(since)));
    }
    if let Some(before) = filter.before {
        query = query.filter(audit_events::at.lt(At(before)));
    }
    if let Some((at, id)) = filter.behind {
        let is_behind = { audit_events::at.lt(At(at)) }
            .or(audit_events::at.eq(At(at)).and(audit_events::id.lt(id.0)));
        query = query.filter(is_behind);
    }
    query
}

#[async_trait]
impl AuditRepository for Session {
    async fn record(&mut self, event: &AuditEvent) -> Result<(), StorageError> {
        let row = AuditRow::from(event);
        self.change(event.account, move |db| {
            insert_into(audit_events::table)
                .values(&row)
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn record_all(&mut self, events: &[AuditEvent]) -> Result<(), StorageError> {
        let Some(first) = events.first() else {
            return Ok(());
        };
        let rows: Vec<AuditRow> = events.iter().map(AuditRow::from).collect();
        self.change(first.account, move |db| {
            insert_into(audit_events::table)
                .values(&rows)
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &AuditFilter,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        let filter = filter.clone();
        self.fetch_all(account, AuditEvent::try_from, move |db| {
            filtered(account, &filter)
                .order((audit_events::at.desc(), audit_events::id.desc()))
                .limit(i64::from(limit))
                .select(AuditRow::as_select())
                .load(db)
        })
        .await
    }

    async fn cutoff_for_newest(
        &mut self,
        account: AccountId,
        kept: u32,
    ) -> Result<Option<DateTime<Utc>>, StorageError> {
        let found: Option<At> = self
            .fetch(account, move |db| {
                rows_of!(audit_events, account)
                    .order((audit_events::at.desc(), audit_events::id.desc()))
                    .offset(kept.into())
                    .select(audit_events::at)
                    .first(db)
                    .optional()
            })
            .await?;
        Ok(found.map(Into::into))
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let forgotten = self.change(account, move |db| {
            let old: Vec<i64> = rows_of!(audit_events, account)
                .filter(audit_events::at.lt(At(before)))
                .order((audit_events::at, audit_events::id))
                .limit(limit.into())
                .select(audit_events::id)
                .load(db)?;
            let these = rows_of!(audit_events, account).filter(audit_events::id.eq_any(&old));
            delete(these).execute(db)
        });
        Ok(forgotten.await? as u64)
    }
}
