//! Progress, stored in the target: the sums of the source at the beginning, and how far each table is.

use super::catalog::{PROGRESS, Table, parameter};
use super::row::Checksum;
use super::{End, Key, Sums, TransferError, differences, row};
use crate::migrations::UNFINISHED_TRANSFER;
use crate::rows::records::PACKED_SINCE;
use crate::sql::{Bind, Db};
use diesel::connection::SimpleConnection;
use diesel::result::Error;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel::{Connection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Copied {
    pub rows: u64,
    pub last_key: Option<Key>,
}

#[derive(QueryableByName)]
struct ProgressRow {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = BigInt)]
    source_rows: i64,
    #[diesel(sql_type = Text)]
    checksum: String,
    #[diesel(sql_type = BigInt)]
    copied: i64,
    #[diesel(sql_type = Nullable<Text>)]
    last_key: Option<String>,
}

/// Closes the target to servers, and stores what will be copied.
pub fn start(target: &mut End, sums: &Sums) -> Result<BTreeMap<String, Copied>, TransferError> {
    let noted = target.db.transaction(|db| {
        db.batch_execute(&format!(
            "CREATE TABLE {PROGRESS} (table_name TEXT NOT NULL PRIMARY KEY, source_rows BIGINT NOT NULL, \
             checksum TEXT NOT NULL, copied BIGINT NOT NULL, last_key TEXT); \
             INSERT INTO schema_breaks (version) VALUES ('{UNFINISHED_TRANSFER}')"
        ))?;
        for (table, sum) in sums {
            let values = (1..=4).map(|it| parameter(db.kind(), it));
            let values = values.collect::<Vec<_>>().join(", ");
            let row = vec![
                Bind::Text(table.clone()),
                Bind::BigInt(sum.rows.cast_signed()),
                Bind::Text(sum.digits()),
                Bind::BigInt(0),
            ];
            let add = format!(
                "INSERT INTO {PROGRESS} (table_name, source_rows, checksum, copied) VALUES ({values})"
            );
            db.run_once(add.into(), row)?;
        }
        QueryResult::Ok(())
    });
    noted.map_err(|it| target.failed("cannot begin", it))?;
    Ok(BTreeMap::new())
}

/// How far an earlier run came. Fails where the source is not the same.
pub fn resume(
    target: &mut End,
    tables: &[Table],
    sums: &Sums,
) -> Result<BTreeMap<String, Copied>, TransferError> {
    let query =
        format!("SELECT table_name, source_rows, checksum, copied, last_key FROM {PROGRESS}");
    let kept: QueryResult<Vec<ProgressRow>> = sql_query(query).load(&mut target.db);
    let kept = kept.map_err(|it| target.failed("cannot read the progress", it))?;
    let mut then = Sums::new();
    let mut copied = BTreeMap::new();
    for it in kept {
        let unreadable = || {
            let failure = format!("the progress of {} is not readable", it.table_name);
            target.failed(failure, Error::NotFound)
        };
        let sum = Checksum::of_digits(it.source_rows.cast_unsigned(), &it.checksum);
        then.insert(it.table_name.clone(), sum.ok_or_else(unreadable)?);
        let table = tables.iter().find(|known| known.name == it.table_name);
        let last_key = match (&it.last_key, table) {
            (Some(text), Some(table)) => Some(read_key(text, table).ok_or_else(unreadable)?),
            _ => None,
        };
        let rows = it.copied.cast_unsigned();
        copied.insert(it.table_name, Copied { rows, last_key });
    }
    match differences(&then, sums, ["the source then", "the source now"]) {
        None => Ok(copied),
        Some(difference) => Err(TransferError::SourceChanged(difference)),
    }
}

fn read_key(text: &str, table: &Table) -> Option<Key> {
    let texts: Vec<String> = serde_json::from_str(text).ok()?;
    let key = row::key_from_texts(&texts, table.key_kinds())?;
    (key.len() == table.key.len()).then_some(key)
}

/// Saves how far a table is; `false` where it was not at `before`.
pub fn save(db: &mut Db, table: &str, before: &Copied, after: &Copied) -> QueryResult<bool> {
    let key = after
        .last_key
        .as_deref()
        .map_or(Some(vec![]), row::key_to_texts);
    let key = key.and_then(|it| serde_json::to_string(&it).ok());
    let key = key.ok_or_else(|| Error::SerializationError("a key that has no text".into()))?;
    let [one, two, three, four] = [1, 2, 3, 4].map(|it| parameter(db.kind(), it));
    let update = format!(
        "UPDATE {PROGRESS} SET copied = {one}, last_key = {two} WHERE table_name = {three} AND copied = {four}"
    );
    let values = vec![
        Bind::BigInt(after.rows.cast_signed()),
        Bind::Text(key),
        Bind::Text(table.to_owned()),
        Bind::BigInt(before.rows.cast_signed()),
    ];
    Ok(db.run_often(update.into(), values)? == 1)
}

/// Opens the target to servers. Records that `SQLite` packed stay packed on `PostgreSQL`, so that versions that cannot
/// read them must be kept out.
pub fn finish(db: &mut Db) -> QueryResult<()> {
    db.transaction(|db| {
        db.batch_execute(&format!(
            "DROP TABLE {PROGRESS}; DELETE FROM schema_breaks WHERE version = '{UNFINISHED_TRANSFER}'; \
             INSERT INTO schema_breaks (version) VALUES ('{PACKED_SINCE}') ON CONFLICT DO NOTHING"
        ))
    })
}
