//! Connections of processes that have stalled in a transaction.
//!
//! `idle_in_transaction_session_timeout` ends those that wait for the next message. It does not run once part of a
//! message has arrived, nor does `statement_timeout` end the wait for the rest (PostgreSQL's `SocketBackend` delays
//! cancellations until the message is complete). So a process that is stopped while it sends a large statement would
//! keep its locks as long as its connection lives.

use crate::sql::Db;
use chrono::TimeDelta;
use diesel::dsl::sql;
use diesel::sql_types::{BigInt, Double};
use diesel::{QueryResult, RunQueryDsl, select};

/// Terminates this service's connections (by role and name) that hold changes or locks and were silent so long.
pub fn end(db: &mut Db, silent_for: TimeDelta) -> QueryResult<u64> {
    let seconds = silent_for.as_seconds_f64();
    // `pg_restore` under the same name sends each row in a separate message.
    let ended = sql::<BigInt>(
        "(SELECT count(*) FILTER (WHERE pg_catalog.pg_terminate_backend(pid)) FROM pg_catalog.pg_stat_activity \
         WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid() \
         AND application_name = current_setting('application_name') AND backend_xid IS NOT NULL \
         AND wait_event_type = 'Client' AND query NOT LIKE 'COPY %' \
         AND state_change < clock_timestamp() - make_interval(secs => ",
    );
    let ended = ended.bind::<Double, _>(seconds).sql("))");
    let ended: i64 = select(ended).get_result(db)?;
    Ok(ended.unsigned_abs())
}
