use crate::{executor::session::Session, instant::At, rows::audit::AuditRow, schema::audit_events};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*};
use domain::audit::{AuditAction, AuditEvent};
use domain::ids::AccountId;
use domain::ports::audit::AuditRepository;
use domain::ports::storage::StorageError;

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

    async fn newest_of(
        &mut self,
        account: AccountId,
        actions: &[AuditAction],
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        let names: Vec<&'static str> = actions.iter().map(|it| it.name()).collect();
        self.fetch_all(account, AuditEvent::try_from, move |db| {
            rows_of!(audit_events, account)
                .filter(audit_events::at.lt(At(before)))
                .filter(audit_events::action.eq_any(&names))
                .order((audit_events::at.desc(), audit_events::id.desc()))
                .limit(i64::from(limit))
                .select(AuditRow::as_select())
                .load(db)
        })
        .await
    }

    async fn newest(
        &mut self,
        account: AccountId,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StorageError> {
        self.fetch_all(account, AuditEvent::try_from, move |db| {
            rows_of!(audit_events, account)
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
