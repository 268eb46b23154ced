use crate::{postgres_endpoint::APPLICATION, sql::Db};
use diesel::sql_types::{BigInt, Text};
use diesel::{QueryResult, QueryableByName, RunQueryDsl, sql_query};
use std::thread;
use std::time::{Duration, Instant};

/// How long connections of an ended program may take to close.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// How many others are connected, after waiting for those of a server that has just ended.
pub fn count_after_wait(database: &mut Db) -> QueryResult<i64> {
    let begun = Instant::now();
    loop {
        let others = count_others(database)?;
        if others == 0 || begun.elapsed() > DISCONNECT_TIMEOUT {
            return Ok(others);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Other connections of this program, by its own `application_name` or that of the URL.
fn count_others(database: &mut Db) -> QueryResult<i64> {
    let others = sql_query(
        "SELECT count(*) AS number FROM pg_catalog.pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid() \
         AND application_name IN ($1, current_setting('application_name'))",
    );
    let others: Number = others.bind::<Text, _>(APPLICATION).get_result(database)?;
    Ok(others.number)
}

#[derive(QueryableByName)]
pub struct BackendIdentity {
    #[diesel(sql_type = BigInt)]
    pid: i64,
    #[diesel(sql_type = Text)]
    since: String,
}

pub fn own_backend(database: &mut Db) -> QueryResult<BackendIdentity> {
    let own = "SELECT pid::BIGINT AS pid, extract(epoch FROM backend_start)::TEXT AS since \
         FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid()";
    sql_query(own).get_result(database)
}

pub fn has_backend(database: &mut Db, it: &BackendIdentity) -> QueryResult<bool> {
    let found = sql_query(
        "SELECT count(*) AS number FROM pg_catalog.pg_stat_activity \
         WHERE datname = current_database() AND pid = $1 AND extract(epoch FROM backend_start)::TEXT = $2",
    );
    let found = found.bind::<BigInt, _>(it.pid).bind::<Text, _>(&it.since);
    let found: Number = found.get_result(database)?;
    Ok(found.number > 0)
}
