//! Schedules of two accounts with projects of the same id.

use super::examples::*;
use chrono::{DateTime, Utc};
use domain::{
    ids::AccountId,
    job::kind::AnalysisKind,
    schedule::{Recurrence, Schedule},
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    each_account_has_its_own_schedules,
    removing_one_leaves_the_others,
    a_schedule_is_advanced_once,
];

const KIND: AnalysisKind = AnalysisKind::RankCheck;

fn schedule(account: AccountId, next_at: DateTime<Utc>) -> Schedule {
    Schedule {
        account,
        project: SHOP,
        kind: KIND,
        recurrence: Recurrence::parse("daily", "03:00", "Europe/Berlin").unwrap(),
        next_at,
        last_at: None,
        last_refusal: None,
    }
}

/// Hers is due in ten seconds, his in twenty.
async fn both(db: &TestStorage) -> [Schedule; 2] {
    two_accounts(db).await;
    let both = [schedule(ANN, after(10)), schedule(BOB, after(20))];
    change!(db, tx => for it in &both {
        tx.schedules().set(it).await.unwrap();
    });
    both
}

async fn each_account_has_its_own_schedules(db: TestStorage) {
    let [hers, his] = both(&db).await;
    let changed = Schedule {
        next_at: after(15),
        ..hers
    };
    change!(db, tx => tx.schedules().set(&changed).await.unwrap());
    read!(db, r => {
        let schedules = r.schedules();
        assert_eq!(schedules.list(ANN).await.unwrap(), vec![changed.clone()]);
        assert_eq!(schedules.list(BOB).await.unwrap(), vec![his.clone()]);
        assert_eq!(schedules.accounts_due(after(15), 9).await.unwrap(), [ANN]);
        assert_eq!(schedules.accounts_due(after(20), 9).await.unwrap(), [ANN, BOB]);
        assert_eq!(schedules.due(ANN, after(60), 9).await.unwrap(), [changed]);
        assert_eq!(schedules.due(BOB, after(19), 9).await.unwrap(), []);
        assert_eq!(schedules.due(BOB, after(20), 9).await.unwrap(), [his]);
    });
}

async fn removing_one_leaves_the_others(db: TestStorage) {
    let [_, his] = both(&db).await;
    let removed = change!(db, tx => tx.schedules().remove(ANN, SHOP, KIND).await.unwrap());
    let again = change!(db, tx => tx.schedules().remove(ANN, SHOP, KIND).await.unwrap());
    assert_eq!((removed, again), (true, false));
    read!(db, r => {
        assert_eq!(r.schedules().list(ANN).await.unwrap(), []);
        assert_eq!(r.schedules().list(BOB).await.unwrap(), [his]);
        assert_eq!(r.schedules().accounts_due(after(60), 9).await.unwrap(), [BOB]);
    });
}

async fn a_schedule_is_advanced_once(db: TestStorage) {
    let [hers, _] = both(&db).await;
    // Both are due at the same time.
    let his = schedule(BOB, hers.next_at);
    change!(db, tx => tx.schedules().set(&his).await.unwrap());
    let moved = Schedule {
        next_at: after(100),
        last_at: Some(after(10)),
        last_refusal: Some("budget-reached".to_owned()),
        ..hers.clone()
    };
    let first = change!(db, tx => tx.schedules().advance(&hers, &moved).await.unwrap());
    let second = change!(db, tx => tx.schedules().advance(&hers, &moved).await.unwrap());
    assert_eq!((first, second), (true, false));
    read!(db, r => {
        assert_eq!(r.schedules().list(ANN).await.unwrap(), [moved]);
        assert_eq!(r.schedules().list(BOB).await.unwrap(), [his]);
        assert_eq!(r.schedules().accounts_due(after(60), 9).await.unwrap(), [BOB]);
    });
}
