use super::{Backend, Db};
use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::count;
use crate::rows::events::{EventRow, subject_key};
use crate::schema::{account_event_heads, events};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::sql_types::BigInt;
use diesel::{delete, insert_into, prelude::*, update};
use domain::event::{EventFilter, EventOrder, LoggedEvent, NewEvent};
use domain::ids::AccountId;
use domain::ports::events::EventRepository;
use domain::ports::storage::StorageError;

/// Events inserted by one statement: 11 values each.
const BATCH: usize = 500;
const BODY_BYTES: &str = "CAST(octet_length(body) AS BIGINT)";

#[async_trait]
impl EventRepository for Session {
    async fn append(&mut self, account: AccountId, new: &[NewEvent]) -> Result<(), StorageError> {
        if new.is_empty() {
            return Ok(());
        }
        let new = new.to_vec();
        self.change(account, move |db| {
            let number = count(new.len());
            // The lock of the head is held until the transaction ends.
            let last: i64 = insert_into(account_event_heads::table)
                .values((
                    account_event_heads::account_id.eq(account.0),
                    account_event_heads::last_seq.eq(number),
                    account_event_heads::bytes.eq(0),
                ))
                .on_conflict(account_event_heads::account_id)
                .do_update()
                .set(account_event_heads::last_seq.eq(account_event_heads::last_seq + number))
                .returning(account_event_heads::last_seq)
                .get_result(db)?;
            let rows: Vec<EventRow> = { (last - number + 1..).zip(&new) }
                .map(|(seq, entry)| {
                    let entry = entry.clone();
                    EventRow::from(&LoggedEvent {
                        account,
                        seq,
                        entry,
                    })
                })
                .collect();
            let mut bytes = 0;
            for part in rows.chunks(BATCH) {
                let added: Vec<i64> = insert_into(events::table)
                    .values(part)
                    .on_conflict((events::account_id, events::dedupe_key))
                    .do_nothing()
                    .returning(sql::<BigInt>(BODY_BYTES))
                    .get_results(db)?;
                bytes += added.iter().sum::<i64>();
            }
            add_bytes(db, account, bytes)
        })
        .await
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &EventFilter,
        limit: u32,
    ) -> Result<Vec<LoggedEvent>, StorageError> {
        let filter = filter.clone();
        self.fetch_all(account, LoggedEvent::try_from, move |db| {
            filtered(account, &filter)
                .limit(limit.into())
                .select(EventRow::as_select())
                .load(db)
        })
        .await
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let purged = self.change(account, move |db| {
            let old: Vec<i64> = rows_of!(events, account)
                .filter(events::at.lt(At(before)))
                .order((events::at, events::seq))
                .limit(limit.into())
                .select(events::seq)
                .load(db)?;
            remove(db, account, &old)
        });
        Ok(purged.await? as u64)
    }
}

type Query<'a> = events::BoxedQuery<'a, Backend>;

fn filtered<'a>(account: AccountId, filter: &EventFilter) -> Query<'a> {
    let kinds: Vec<&str> = filter.kinds.iter().map(|it| it.name()).collect();
    let severities: Vec<&str> = filter.severities.iter().map(|it| it.name()).collect();
    let mut query = rows_of!(events, account)
        .filter(events::kind.eq_any(kinds))
        .filter(events::severity.eq_any(severities))
        .into_boxed();
    if let Some(projects) = &filter.projects {
        let ids: Vec<i64> = projects.iter().map(|it| it.0).collect();
        query = query.filter(events::project_id.eq_any(ids).assume_not_null());
    }
    if let Some((kind, key)) = &filter.subject {
        query = query.filter(events::subject.eq(subject_key(*kind, key)));
    }
    if let Some(since) = filter.since {
        query = query.filter(events::measured_at.ge(At(since)));
    }
    match filter.order {
        EventOrder::NewestFirst { before } => {
            if let Some(before) = before {
                query = query.filter(events::seq.lt(before));
            }
            query.order(events::seq.desc())
        }
        EventOrder::OldestFirst { after } => {
            query.filter(events::seq.gt(after)).order(events::seq.asc())
        }
    }
}

/// Deletes these events; returns how many.
pub fn remove(db: &mut Db, account: AccountId, these: &[i64]) -> QueryResult<usize> {
    if these.is_empty() {
        return Ok(0);
    }
    let removed: Vec<i64> = delete(rows_of!(events, account).filter(events::seq.eq_any(these)))
        .returning(sql::<BigInt>(BODY_BYTES))
        .get_results(db)?;
    add_bytes(db, account, -removed.iter().sum::<i64>())?;
    Ok(removed.len())
}

fn add_bytes(db: &mut Db, account: AccountId, bytes: i64) -> QueryResult<()> {
    update(account_event_heads::table.find(account.0))
        .set(account_event_heads::bytes.eq(account_event_heads::bytes + bytes))
        .execute(db)
        .map(drop)
}
