//! The host throttle.

use chrono::TimeDelta;
use domain::ports::{
    host_throttle::{HostHash, HostThrottle},
    storage::Storage,
};
use futures_util::future::join_all;
use harness::{databases::TestDatabase, on_every_database};
use std::time::{Duration, Instant};
use storage::DatabaseKind;

on_every_database![
    concurrent_reservations_get_distinct_slots,
    an_unused_slot_delays_no_later_request,
    a_pause_is_never_shortened,
    hosts_are_throttled_independently,
    a_slot_set_by_a_wrong_clock_is_ignored,
    idle_hosts_are_deleted_in_batches,
];

const MINUTE: Duration = Duration::from_mins(1);

fn site() -> HostHash {
    HostHash::of("example.com")
}

async fn take(db: &TestDatabase, distance: Duration) -> Duration {
    db.storage.reserve(site(), distance).await.unwrap()
}

/// Asserts that a wait that was just returned ends `whole` after `began`.
fn assert_until(wait: Duration, whole: Duration, began: Instant) {
    let min_wait = whole.saturating_sub(began.elapsed());
    // SQLite's clock counts milliseconds.
    let max_wait = whole + Duration::from_millis(1);
    assert!(
        min_wait <= wait + Duration::from_millis(1),
        "{wait:?} {whole:?}"
    );
    assert!(wait <= max_wait, "{wait:?} {whole:?}");
}

async fn concurrent_reservations_get_distinct_slots(db: TestDatabase) {
    let began = Instant::now();
    let mut waits = join_all((0..64).map(|_| take(&db, MINUTE))).await;
    waits.sort_unstable();
    // A minute is far longer than all of this takes: each wait identifies its slot.
    for (number, wait) in (0..).zip(waits) {
        assert_until(wait, MINUTE * number, began);
    }
}

async fn an_unused_slot_delays_no_later_request(db: TestDatabase) {
    let distance = Duration::from_millis(20);
    assert_eq!(take(&db, distance).await, Duration::ZERO);
    tokio::time::sleep(distance * 3).await;
    let began = Instant::now();
    assert_eq!(take(&db, MINUTE).await, Duration::ZERO);
    assert_until(take(&db, MINUTE).await, MINUTE, began);
}

async fn a_pause_is_never_shortened(db: TestDatabase) {
    let began = Instant::now();
    db.storage.pause(site(), MINUTE * 2).await.unwrap();
    db.storage.pause(site(), MINUTE).await.unwrap();
    assert_until(take(&db, MINUTE).await, MINUTE * 2, began);
    db.storage.pause(site(), MINUTE).await.unwrap();
    assert_until(take(&db, MINUTE).await, MINUTE * 3, began);
}

async fn hosts_are_throttled_independently(db: TestDatabase) {
    take(&db, MINUTE).await;
    let other = HostHash::of("example.org");
    let wait = db.storage.reserve(other, MINUTE).await.unwrap();
    assert_eq!(wait, Duration::ZERO);
}

async fn a_slot_set_by_a_wrong_clock_is_ignored(db: TestDatabase) {
    take(&db, MINUTE).await;
    db.run_sql(match db.kind() {
        DatabaseKind::Postgres => "UPDATE site_turns SET next_at = next_at + INTERVAL '7 hours'",
        DatabaseKind::Sqlite => "UPDATE site_turns SET next_at = next_at + 25200000000",
    });
    let began = Instant::now();
    assert_eq!(take(&db, MINUTE).await, Duration::ZERO);
    assert_until(take(&db, MINUTE).await, MINUTE, began);
}

async fn idle_hosts_are_deleted_in_batches(db: TestDatabase) {
    for number in 0..4 {
        let site = HostHash::of(&format!("{number}.example.com"));
        db.storage.reserve(site, MINUTE).await.unwrap();
    }
    let began = Instant::now();
    db.storage.pause(site(), MINUTE * 60).await.unwrap();
    let before = db.storage.now().await.unwrap() + TimeDelta::minutes(30);
    let forget = |limit| {
        let db = &db;
        async move { change!(db, tx => tx.host_throttle().purge_before(before, limit).await.unwrap()) }
    };
    assert_eq!(
        (forget(3).await, forget(3).await, forget(3).await),
        (3, 1, 0)
    );
    assert_until(take(&db, MINUTE).await, MINUTE * 60, began);
}
