//! What suppliers cost.

use super::examples::*;
use chrono::NaiveDate;
use domain::{money::MicroUsd, ports::spending::Spending};
use harness::{databases::TestDatabase, on_every_database};
use std::sync::Arc;

on_every_database![
    an_amount_is_set_aside_up_to_the_cap_and_not_beyond,
    a_settled_reservation_makes_room,
    months_and_accounts_are_counted_apart,
    of_sixty_four_parallel_reservations_exactly_as_many_succeed_as_there_is_room,
];

fn spending(reserved: i64, spent: i64) -> Spending {
    Spending {
        reserved: MicroUsd(reserved),
        spent: MicroUsd(spent),
    }
}

async fn an_amount_is_set_aside_up_to_the_cap_and_not_beyond(db: TestDatabase) {
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
        let outcome = change!(db, tx => tx.spending().reserve(ANN, MONTH, MicroUsd(amount), cap).await.unwrap());
        assert_eq!(outcome, expected, "{amount}");
    }
    let found = ask!(db, r => r.spending().find(ANN, MONTH).await.unwrap());
    assert_eq!(found, spending(15, 0));
}

async fn a_settled_reservation_makes_room(db: TestDatabase) {
    two_accounts(&db).await;
    let cap = Some(MicroUsd(10));
    change!(db, tx => {
        assert!(tx.spending().reserve(ANN, MONTH, MicroUsd(10), cap).await.unwrap());
        tx.spending().settle(ANN, MONTH, MicroUsd(10), MicroUsd(4)).await.unwrap();
        assert!(!tx.spending().reserve(ANN, MONTH, MicroUsd(7), cap).await.unwrap());
        assert!(tx.spending().reserve(ANN, MONTH, MicroUsd(6), cap).await.unwrap());
    });
    let found = ask!(db, r => r.spending().find(ANN, MONTH).await.unwrap());
    assert_eq!(found, spending(6, 4));
}

async fn months_and_accounts_are_counted_apart(db: TestDatabase) {
    two_accounts(&db).await;
    let next = NaiveDate::from_ymd_opt(2026, 12, 1).unwrap();
    change!(db, tx => tx.spending().settle(ANN, MONTH, MicroUsd(0), MicroUsd(3)).await.unwrap());
    ask!(db, r => {
        assert_eq!(r.spending().find(ANN, MONTH).await.unwrap(), spending(0, 3));
        assert_eq!(r.spending().find(ANN, next).await.unwrap(), spending(0, 0));
        assert_eq!(r.spending().find(BOB, MONTH).await.unwrap(), spending(0, 0));
    });
}

async fn of_sixty_four_parallel_reservations_exactly_as_many_succeed_as_there_is_room(
    db: TestDatabase,
) {
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
                    .reserve(ANN, MONTH, MicroUsd(1), cap)
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
    let found = ask!(db, r => r.spending().find(ANN, MONTH).await.unwrap());
    assert_eq!(found, spending(5, 0));
}
