//! Costs of suppliers.

use super::examples::*;
use chrono::NaiveDate;
use domain::{
    money::MicroUsd,
    ports::spending::{Counter, Spending},
};
use harness::{databases::TestStorage, on_every_storage};
use std::sync::Arc;

on_every_storage![
    an_amount_is_reserved_up_to_the_cap,
    a_settled_reservation_frees_budget,
    months_and_accounts_are_counted_apart,
    day_month_and_server_totals_are_separate;
    but not in memory:
    parallel_reservations_stop_at_the_cap = "nobody waits for a lock: the second to commit is interrupted",
    parallel_accounts_stop_at_the_server_cap = "nobody waits for a lock: the second to commit is interrupted",
];

const ANNS_MONTH: Counter = Counter::Month(ANN, MONTH);
const ANNS_DAY: Counter = Counter::Day(ANN, MONTH);
const BOBS_DAY: Counter = Counter::Day(BOB, MONTH);
const SERVERS_DAY: Counter = Counter::ServerDay(MONTH);

fn spending(reserved: i64, spent: i64) -> Spending {
    Spending {
        reserved: MicroUsd(reserved),
        spent: MicroUsd(spent),
    }
}

async fn an_amount_is_reserved_up_to_the_cap(db: TestStorage) {
    two_accounts(&db).await;
    let cap = Some(MicroUsd(10));
    for (amount, cap, expected) in [
        (11, cap, false),
        (4, cap, true),
        (7, cap, false),
        (6, cap, true),
        (1, cap, false),
        (0, cap, true),
        (5, None, true),
        (0, cap, true),
    ] {
        let outcome = change!(db, tx => tx.spending().reserve(ANNS_MONTH, MicroUsd(amount), cap).await.unwrap());
        assert_eq!(outcome, expected, "{amount}");
    }
    let found = read!(db, r => r.spending().find(ANNS_MONTH).await.unwrap());
    assert_eq!(found, spending(15, 0));
}

async fn a_settled_reservation_frees_budget(db: TestStorage) {
    two_accounts(&db).await;
    let cap = Some(MicroUsd(10));
    change!(db, tx => {
        assert!(tx.spending().reserve(ANNS_MONTH, MicroUsd(10), cap).await.unwrap());
        tx.spending().settle(ANNS_MONTH, MicroUsd(10), MicroUsd(4)).await.unwrap();
        assert!(!tx.spending().reserve(ANNS_MONTH, MicroUsd(7), cap).await.unwrap());
        assert!(tx.spending().reserve(ANNS_MONTH, MicroUsd(6), cap).await.unwrap());
    });
    let found = read!(db, r => r.spending().find(ANNS_MONTH).await.unwrap());
    assert_eq!(found, spending(6, 4));
}

async fn months_and_accounts_are_counted_apart(db: TestStorage) {
    two_accounts(&db).await;
    let next = NaiveDate::from_ymd_opt(2026, 12, 1).unwrap();
    change!(db, tx => tx.spending().settle(ANNS_MONTH, MicroUsd(0), MicroUsd(3)).await.unwrap());
    read!(db, r => {
        assert_eq!(r.spending().find(ANNS_MONTH).await.unwrap(), spending(0, 3));
        assert_eq!(r.spending().find(Counter::Month(ANN, next)).await.unwrap(), spending(0, 0));
        assert_eq!(r.spending().find(Counter::Month(BOB, MONTH)).await.unwrap(), spending(0, 0));
    });
}

async fn parallel_reservations_stop_at_the_cap(db: TestStorage) {
    two_accounts(&db).await;
    let storage = db.port();
    let attempts: Vec<_> = (0..64)
        .map(|_| {
            let storage = Arc::clone(&storage);
            tokio::spawn(async move {
                let mut tx = storage.write().await.unwrap();
                let cap = Some(MicroUsd(5));
                let granted = tx
                    .spending()
                    .reserve(ANNS_MONTH, MicroUsd(1), cap)
                    .await
                    .unwrap();
                tx.commit().await.unwrap();
                granted
            })
        })
        .collect();
    let mut granted = 0;
    for attempt in attempts {
        granted += i64::from(attempt.await.unwrap());
    }
    assert_eq!(granted, 5);
    let found = read!(db, r => r.spending().find(ANNS_MONTH).await.unwrap());
    assert_eq!(found, spending(5, 0));
}

async fn day_month_and_server_totals_are_separate(db: TestStorage) {
    two_accounts(&db).await;
    let (cap, amount) = (Some(MicroUsd(10)), MicroUsd(6));
    change!(db, tx => {
        let s = tx.spending();
        assert!(s.reserve(ANNS_DAY, amount, cap).await.unwrap());
        assert!(!s.reserve(ANNS_DAY, MicroUsd(5), cap).await.unwrap());
        assert!(s.reserve(BOBS_DAY, amount, cap).await.unwrap());
        assert!(s.reserve(Counter::Day(ANN, day(0)), amount, cap).await.unwrap());
        assert!(s.reserve(ANNS_MONTH, MicroUsd(10), cap).await.unwrap());
        assert!(s.reserve(SERVERS_DAY, amount, cap).await.unwrap());
        assert!(!s.reserve(SERVERS_DAY, MicroUsd(5), cap).await.unwrap());
        assert!(s.reserve(Counter::ServerDay(day(0)), MicroUsd(10), cap).await.unwrap());
        s.settle(ANNS_DAY, amount, MicroUsd(2)).await.unwrap();
        s.settle(SERVERS_DAY, amount, MicroUsd(2)).await.unwrap();
        assert!(s.reserve(ANNS_DAY, MicroUsd(8), cap).await.unwrap());
        assert!(!s.reserve(SERVERS_DAY, MicroUsd(9), cap).await.unwrap());
    });
    read!(db, r => {
        let s = r.spending();
        assert_eq!(s.find(ANNS_MONTH).await.unwrap(), spending(10, 0));
        assert_eq!(s.find(ANNS_DAY).await.unwrap(), spending(8, 2));
        assert_eq!(s.find(BOBS_DAY).await.unwrap(), spending(6, 0));
        assert_eq!(s.find(Counter::Day(BOB, day(0))).await.unwrap(), spending(0, 0));
        assert_eq!(s.find(SERVERS_DAY).await.unwrap(), spending(0, 2));
        assert_eq!(s.find(Counter::ServerDay(day(0))).await.unwrap(), spending(10, 0));
    });
}

async fn parallel_accounts_stop_at_the_server_cap(db: TestStorage) {
    two_accounts(&db).await;
    let storage = db.port();
    let attempts: Vec<_> = (0..64)
        .map(|number| {
            let storage = Arc::clone(&storage);
            let account = if number % 2 == 0 { ANN } else { BOB };
            tokio::spawn(async move {
                let mut tx = storage.write().await.unwrap();
                let s = tx.spending();
                let own = s
                    .reserve(Counter::Day(account, MONTH), MicroUsd(3), None)
                    .await;
                let granted = s
                    .reserve(SERVERS_DAY, MicroUsd(3), Some(MicroUsd(20)))
                    .await;
                assert!(own.unwrap());
                if granted.unwrap() {
                    tx.commit().await.unwrap();
                    return 1;
                }
                0
            })
        })
        .collect();
    let mut granted = 0;
    for attempt in attempts {
        granted += attempt.await.unwrap();
    }
    assert_eq!(granted, 6);
    read!(db, r => {
        let s = r.spending();
        assert_eq!(s.find(SERVERS_DAY).await.unwrap(), spending(18, 0));
        let (ann, bob) = (
            s.find(ANNS_DAY).await.unwrap(),
            s.find(BOBS_DAY).await.unwrap(),
        );
        assert_eq!(ann.reserved.0 + bob.reserved.0, 18);
    });
}
