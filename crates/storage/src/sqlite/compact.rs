//! Makes `SQLite`'s file smaller: packs records that earlier versions did not, and returns free pages to the disk.

use crate::{
    errors::unavailable,
    files::{folder_of, free_bytes},
    rows::{count, packing::pack_zstd, records::MIN_PACKED},
    sql::Db,
};
use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Binary, Text};
use diesel::{Connection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use domain::ports::storage::StorageError;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compacted {
    pub packed_records: u64,
    pub bytes_before: u64,
    pub bytes_after: u64,
    /// Free bytes that `VACUUM` would have needed; `None` when it ran.
    pub needs_bytes: Option<u64>,
}

/// Records packed in one transaction: a few megabytes.
const BATCH_RECORDS: i64 = 200;

#[derive(QueryableByName)]
struct Large {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Text)]
    record: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// No other process may have the database open.
pub fn compact(db: &mut Db, path: &Path) -> Result<Compacted, StorageError> {
    let bytes_before = bytes(db, "page_count").map_err(unavailable)?;
    let mut packed_records = 0;
    let mut last = i64::MIN;
    loop {
        let packed = db.transaction(|db| pack_batch(db, last));
        let Some((place, number)) = packed.map_err(unavailable)? else {
            break;
        };
        last = place;
        packed_records += number;
    }
    let needs_bytes = vacuum(db, path).map_err(unavailable)?;
    Ok(Compacted {
        packed_records,
        bytes_before,
        bytes_after: bytes(db, "page_count").map_err(unavailable)?,
        needs_bytes,
    })
}

/// Packs the next records after `last`; returns the last row and their number, `None` at the end.
fn pack_batch(db: &mut Db, last: i64) -> QueryResult<Option<(i64, u64)>> {
    let large: Vec<Large> = sql_query(
        "SELECT rowid AS place, record FROM findings \
         WHERE rowid > $1 AND packed IS NULL AND octet_length(record) >= $2 ORDER BY rowid LIMIT $3",
    )
    .bind::<BigInt, _>(last)
    .bind::<BigInt, _>(count(MIN_PACKED))
    .bind::<BigInt, _>(BATCH_RECORDS)
    .load(db)?;
    for it in &large {
        sql_query("UPDATE findings SET record = '', packed = $1 WHERE rowid = $2")
            .bind::<Binary, _>(pack_zstd(it.record.as_bytes()))
            .bind::<BigInt, _>(it.place)
            .execute(db)?;
    }
    Ok({ large.last() }.map(|it| (it.place, large.len() as u64)))
}

/// `VACUUM` writes used pages into a temporary file and from there through the log: it needs twice their size.
fn vacuum(db: &mut Db, path: &Path) -> QueryResult<Option<u64>> {
    let used = bytes(db, "page_count")? - bytes(db, "freelist_count")?;
    let needed = 2 * used;
    if free_bytes(folder_of(path)).is_some_and(|free| free < needed) {
        return Ok(Some(needed));
    }
    // In memory it would be as large as the database.
    db.batch_execute("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?;
    Ok(None)
}

fn bytes(db: &mut Db, pages: &str) -> QueryResult<u64> {
    let query =
        format!("SELECT {pages} * page_size AS number FROM pragma_{pages}(), pragma_page_size()");
    let found: Number = sql_query(query).get_result(db)?;
    Ok(found.number.unsigned_abs())
}
