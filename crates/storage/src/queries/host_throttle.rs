use super::{Backend, Db};
use crate::executor::cached::cached;
use crate::executor::session::{Session, TenantScope};
use crate::instant::{At, Instant};
use crate::rows::count;
use crate::schema::site_turns;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};
use diesel::{QueryableByName, delete, sql_query};
use domain::ports::host_throttle::{HostHash, HostThrottleRepository};
use domain::ports::storage::StorageError;
use std::time::Duration;

/// No host is delayed longer than a crawl may take: a later time was set by a wrong clock, and is ignored.
const MAX_DELAY: Duration = Duration::from_hours(6);

#[derive(QueryableByName)]
struct ReservedSlot {
    /// When the host is free for the next request.
    #[diesel(sql_type = Instant)]
    next_at: At,
    /// The time by the same clock.
    #[diesel(sql_type = Instant)]
    clock_at: At,
}

/// Reserves the first free slot after a pause, and the distance after it; returns the wait by the database's clock.
pub fn reserve(
    db: &mut Db,
    site: HostHash,
    pause: Duration,
    distance: Duration,
) -> QueryResult<Duration> {
    let micros = |it: Duration| count(it.as_micros());
    let taking = sql_query(statement(db.kind()))
        .bind::<Binary, _>(site.0.as_slice())
        .bind::<BigInt, _>(micros(pause))
        .bind::<BigInt, _>(micros(distance))
        .bind::<BigInt, _>(micros(MAX_DELAY));
    let slot: ReservedSlot = cached(taking).get_result(db)?;
    let wait = slot.next_at.micros() - micros(distance) - slot.clock_at.micros();
    Ok(Duration::from_micros(wait.try_into().unwrap_or(0)))
}

/// `$1` site, `$2` pause, `$3` distance, `$4` longest delay, in microseconds: numbered in the order of first use, as
/// `SQLite` counts them. The clock is read once the row is locked: the statement may have waited.
fn statement(kind: Backend) -> String {
    let (now, micros) = (kind.now(), kind.microsecond());
    format!(
        "INSERT INTO site_turns (site_hash, next_at) \
         VALUES ($1, {now} + $2 * {micros} + $3 * {micros}) \
         ON CONFLICT (site_hash) DO UPDATE SET next_at = CASE \
         WHEN site_turns.next_at > {now} + $2 * {micros} \
         AND site_turns.next_at < {now} + $4 * {micros} THEN site_turns.next_at \
         ELSE {now} + $2 * {micros} END + $3 * {micros} \
         RETURNING next_at, {now} AS clock_at"
    )
}

#[async_trait]
impl HostThrottleRepository for Session {
    async fn purge_before(&mut self, time: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.change(TenantScope::System, move |db| {
            let free: Vec<Vec<u8>> = site_turns::table
                .filter(site_turns::next_at.lt(At(time)))
                .limit(limit.into())
                .select(site_turns::site_hash)
                .load(db)?;
            // Hosts used again meanwhile stay.
            let of_these = site_turns::table
                .filter(site_turns::site_hash.eq_any(&free))
                .filter(site_turns::next_at.lt(At(time)));
            Ok(delete(of_these).execute(db)? as u64)
        })
        .await
    }
}
